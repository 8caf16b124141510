// The page of a seat on a phone: the screen stays awake, a confirmation that is asked for sounds and is felt, and a page of another
// day says so.
"use strict";
(() => {
  const TONE_S = 0.25;
  const day = () => new Date().toDateString();
  const opened = day();
  let asked = null;
  let lock = null;

  async function stayAwake() {
    if (document.hidden || !navigator.wakeLock || (lock && !lock.released)) return;
    lock = await navigator.wakeLock.request("screen").catch(() => null);
  }

  function sound() {
    const context = new AudioContext();
    const tone = context.createOscillator();
    tone.connect(context.destination);
    tone.onended = () => context.close();
    tone.start();
    tone.stop(context.currentTime + TONE_S);
  }

  function attend() {
    const table = document.getElementById("my-table");
    if (table && "asks" in table.dataset) location.replace(location.pathname); // the players are asked who they are
    const task = table?.dataset.task;
    if (task === asked) return;
    const calls = asked !== null && (task === "confirm" || task === "enter");
    asked = task;
    if (!calls) return;
    navigator.vibrate?.(200);
    if (navigator.userActivation?.hasBeenActive) sound();
  }

  function look() {
    document.getElementById("old-page").hidden = day() === opened;
    stayAwake();
  }

  new MutationObserver(attend).observe(document.getElementById("content"), { childList: true, subtree: true });
  document.addEventListener("visibilitychange", look);
  setInterval(look, 30000);
  attend();
  look();
})();
