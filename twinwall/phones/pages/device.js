// What every phone does whatever its role: its screen stays on while the page is in front, and it says how its battery is.
export async function keepAwake() {
  return document.visibilityState === "visible" ? navigator.wakeLock?.request("screen").catch(() => undefined) : undefined;
}

export async function deviceState() {
  const battery = await navigator.getBattery?.().catch(() => undefined);
  const { level = null, charging = null } = battery ?? {};
  return { type: "state", battery: level, charging, in_front: document.visibilityState === "visible" };
}
