// Keeps a page up to date: puts in the fragments that arrive, counts the ages on, and says calmly
// when the connection has been gone for three seconds. The stream resumes by its last number.
"use strict";
(() => {
  const page = document.body.dataset;
  const SILENCE_MS = 3000;
  const FIRST_DELAY_MS = 300;
  const LAST_DELAY_MS = 5000;
  let skewMs = Date.parse(page.now) - Date.now();
  let heardAt = Date.now();
  let triedAt = heardAt;
  let last = page.since;
  let boot = page.boot;
  let delayMs = FIRST_DELAY_MS;
  let source = null;
  let reopening = 0;

  // What a page may see stands behind the point of the run's name; a login that has run out changes it.
  const seen = (run) => run.split(".").pop();
  const pad = (number) => String(number).padStart(2, "0");

  function age(since) {
    const seconds = Math.max(0, Math.floor((Date.now() + skewMs - Date.parse(since)) / 1000));
    const minutes = Math.floor(seconds / 60);
    if (minutes < 60) return `${minutes}:${pad(seconds % 60)}`;
    const hours = Math.floor(minutes / 60);
    return hours < 100 ? `${hours}:${pad(minutes % 60)}:${pad(seconds % 60)}` : `${hours} h`; // longer ones would widen the cards of a hall
  }

  function count() {
    for (const element of document.querySelectorAll("[data-age]")) {
      const text = (element.dataset.text ?? "{age}").replace("{age}", age(element.dataset.age));
      if (element.textContent !== text) element.textContent = text;
    }
    const silent = Date.now() - heardAt > SILENCE_MS;
    const line = document.getElementById("connection");
    document.getElementById("live").hidden = silent;
    line.hidden = !silent;
    if (silent) line.textContent = line.dataset.text.replace("{age}", age(new Date(heardAt + skewMs).toISOString()));
  }

  function localTimes(root) {
    for (const element of root.querySelectorAll("[data-minute]")) {
      const at = new Date(element.dataset.minute);
      element.textContent = `${pad(at.getHours())}:${pad(at.getMinutes())}`;
    }
    for (const element of root.querySelectorAll("[data-clock]")) {
      const at = new Date(element.dataset.clock);
      element.textContent = `${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}`;
    }
  }

  function put(markup) {
    const holder = document.createElement("template");
    holder.innerHTML = markup;
    const focused = document.activeElement?.id;
    for (const piece of [...holder.content.children]) {
      for (const fresh of piece.localName === "svg" ? [...piece.children] : [piece]) {
        localTimes(fresh);
        document.getElementById(fresh.id)?.replaceWith(fresh);
      }
    }
    if (focused && document.activeElement?.id !== focused) document.getElementById(focused)?.focus();
    count();
  }

  function hear() {
    heardAt = Date.now();
    delayMs = FIRST_DELAY_MS;
  }

  function open() {
    const address = new URL(page.events, location.href);
    address.searchParams.set("boot", boot);
    address.searchParams.set("since", last);
    source = new EventSource(address);
    source.onopen = hear;
    source.onmessage = (message) => {
      hear();
      last = message.lastEventId;
      put(message.data);
    };
    source.addEventListener("beat", (message) => {
      hear();
      if (message.lastEventId) last = message.lastEventId;
      skewMs = Date.parse(message.data) - Date.now();
    });
    source.addEventListener("boot", (message) => {
      if (seen(boot) !== seen(message.data)) location.reload();
      boot = message.data;
    });
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) reopen();
    };
  }

  // EventSource gives up on any answer but 200 (a restart, a login that has run out): try again, ever more slowly.
  function reopen() {
    triedAt = Date.now();
    source.close();
    clearTimeout(reopening);
    reopening = setTimeout(async () => {
      delayMs = Math.min(2 * delayMs, LAST_DELAY_MS);
      const answer = await fetch(location.href, { method: "HEAD", redirect: "manual" }).catch(() => null);
      if (answer?.type === "opaqueredirect") location.reload();
      else open();
    }, delayMs);
  }

  function watch() {
    count();
    if (Date.now() - Math.max(heardAt, triedAt) > 4 * SILENCE_MS) reopen();
  }

  localTimes(document);
  count();
  open();
  setInterval(watch, 500);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && Date.now() - heardAt > SILENCE_MS) reopen();
  });
})();
