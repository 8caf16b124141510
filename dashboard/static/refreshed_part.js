// Keeps one part of a page up to date while the page is in front: the element that names the page in data-page and, in data-again-ms,
// how often. What has the focus, such as a list of choices that was opened, is left alone until the focus goes.
"use strict";
(() => {
  const part = document.querySelector("[data-page]");

  async function look() {
    if (document.visibilityState === "visible" && !part.contains(document.activeElement)) {
      try {
        const answer = await fetch(part.dataset.page, { cache: "no-store" });
        const found = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(part.id);
        if (found && found.innerHTML !== part.innerHTML) part.replaceChildren(...found.childNodes);
        if (found) part.dataset.againMs = found.dataset.againMs;
      } catch {
        // nobody answers just now
      }
    }
    setTimeout(look, Number(part.dataset.againMs));
  }
  setTimeout(look, Number(part.dataset.againMs));
})();
