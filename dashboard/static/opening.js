// Asks for the page of an event that is being opened until the server has it, and goes there. While the serving process begins
// again a request may find nobody, which is no reason to stop asking. The page of the events has this script too, so that the browser
// has it when the server begins again.
"use strict";
(() => {
  const AGAIN_MS = 500;
  const page = document.getElementById("opening")?.dataset.page;

  async function ask() {
    try {
      const answer = await fetch(page, { cache: "no-store" });
      if (!(await answer.text()).includes('id="opening"')) {
        location.replace(page);
        return;
      }
    } catch {
      // nobody answers just now
    }
    setTimeout(ask, AGAIN_MS);
  }
  if (page) setTimeout(ask, AGAIN_MS);
})();
