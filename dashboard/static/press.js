// Without a network the browser would put its own error page in place of this one: here a sentence says that nothing was sent, and what
// was typed stays. On the pages of seats, on phones that come and go, a press or a link goes out once the hall has answered a short
// question; elsewhere it is enough that the device says that it has a network, and a press goes out at once.
"use strict";
(() => {
  const WAIT_MS = 4000;
  const lost = document.getElementById("not-sent");
  const asks = document.body.classList.contains("seat-page");
  let asking = false;
  let passed = null;

  async function reached() {
    if (!navigator.onLine) return false;
    const stop = new AbortController();
    const late = setTimeout(() => stop.abort(), WAIT_MS);
    try {
      await fetch("/alive", { cache: "no-store", signal: stop.signal });
      return true;
    } catch {
      return false;
    } finally {
      clearTimeout(late);
    }
  }

  async function whenReached(go) {
    if (asking) return;
    asking = true;
    const found = await reached();
    asking = false;
    lost.hidden = found;
    if (found) go();
  }

  document.addEventListener("submit", (event) => {
    const { target: form, submitter } = event;
    if (event.defaultPrevented || form.getAttribute("method") !== "post" || !form.requestSubmit) return;
    if (!asks && navigator.onLine) return;
    if (passed === form) {
      passed = null;
      return;
    }
    event.preventDefault();
    event.stopPropagation(); // it goes out later, and then counts for the other listeners
    whenReached(() => {
      passed = form;
      form.requestSubmit(submitter);
    });
  }, true);

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || !asks || event.button || event.ctrlKey || event.metaKey || event.shiftKey || link.origin !== location.origin) return;
    event.preventDefault();
    whenReached(() => location.assign(link.href));
  });
})();
