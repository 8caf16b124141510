// Keeps one part of a page up to date while the page is in front: the element that names the page in data-page and, in data-again-ms,
// how often. What has the focus, such as a list of choices that was opened, is left alone until the focus goes; a tick box keeps the
// focus, and what was ticked and not sent yet stays.
"use strict";
(() => {
  const part = document.querySelector("[data-page]");
  const box = (ticked) => part.querySelector(`input[type=checkbox][name="${CSS.escape(ticked.name)}"][value="${CSS.escape(ticked.value)}"]`);

  function put(found) {
    const boxes = [...part.querySelectorAll("input[type=checkbox]")];
    const focused = boxes.find((each) => each === document.activeElement);
    const changed = boxes.filter((each) => each.checked !== each.defaultChecked);
    part.replaceChildren(...found.childNodes);
    for (const each of changed) {
      const fresh = box(each);
      if (fresh) fresh.checked = each.checked;
    }
    if (focused) box(focused)?.focus();
  }

  async function look() {
    const inUse = part.contains(document.activeElement) && document.activeElement.type !== "checkbox";
    if (document.visibilityState === "visible" && !inUse) {
      try {
        const answer = await fetch(part.dataset.page, { cache: "no-store" });
        if (answer.redirected) location.replace(answer.url); // what is asked for is at another page now
        const found = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(part.id);
        if (answer.ok && !found) location.replace(answer.url);
        if (found) part.dataset.againMs = found.dataset.againMs;
        if (found && found.innerHTML !== part.innerHTML) put(found);
      } catch {
        // nobody answers just now
      }
    }
    setTimeout(look, Number(part.dataset.againMs));
  }
  setTimeout(look, Number(part.dataset.againMs));
})();
