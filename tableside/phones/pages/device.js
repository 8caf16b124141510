// What every phone does whatever its role: its screen stays on while it has one and the page is in front, and it says how its battery is.
let lock, isAwake = false;

export async function keepAwake() {
  isAwake = true;
  if (document.visibilityState !== "visible" || (lock && !lock.released)) return;
  lock = await navigator.wakeLock?.request("screen").catch(() => undefined);
  if (!isAwake) letSleep();
}

export function letSleep() {
  isAwake = false;
  lock?.release().catch(() => {});
}

document.addEventListener("visibilitychange", () => isAwake && keepAwake());

export async function deviceState() {
  const battery = await navigator.getBattery?.().catch(() => undefined);
  const { level = null, charging = null } = battery ?? {};
  return { type: "state", battery: level, charging, in_front: document.visibilityState === "visible" };
}
