// Keeps the list of phones up to date while the page is in front, and leaves the code that is shown as it is.
"use strict";
(() => {
  const AGAIN_MS = 2000;
  const list = document.getElementById("phone-list");

  async function look() {
    if (document.visibilityState === "visible" && !list.contains(document.activeElement)) {
      try {
        const answer = await fetch(list.dataset.page, { cache: "no-store" });
        const found = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("phone-list");
        if (found && found.innerHTML !== list.innerHTML) list.replaceChildren(...found.childNodes);
      } catch {
        // nobody answers just now
      }
    }
    setTimeout(look, AGAIN_MS);
  }
  setTimeout(look, AGAIN_MS);
})();
