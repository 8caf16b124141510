// A phone at a table: it is let in by the code behind the address's #, keeps a token, and comes again by itself.
import { Builder } from "/builder.js";
import { Camera } from "/camera.js";
import { Keys } from "/keys.js";
import { element, languages, say, setLanguage, language, listen } from "/texts.js";

const TOKEN = "twinwall-phone";
const ENDED = ["replaced", "dismissed", "out"];
const AGAIN_MS = [500, 1000, 2000, 4000], OPENING_MS = 10000;
let tries = 0, part = null, socket = null, told = { key: "connecting", values: {}, lost: false };

export function tell(key, values = {}, lost = false) {
  told = { key, values, lost };
  element("state").textContent = say(key, values);
  element("state").classList.toggle("lost", lost);
}

function takeCode() {
  const code = location.hash.slice(1);
  if (code) history.replaceState(null, "", location.pathname);
  return code;
}

function connect(code) {
  const fresh = code !== "";
  const token = fresh ? "" : localStorage.getItem(TOKEN) ?? "";
  if (!fresh && !token) return tell("no-code", {}, true);
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/phone`);
  socket.binaryType = "arraybuffer";
  let joined = false, refused = false;
  const opening = socket;
  setTimeout(() => opening.readyState === WebSocket.CONNECTING && opening.close(), OPENING_MS);
  socket.onopen = () => send(JSON.stringify({ type: "hello", code, token }));
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    if (message.type === "joined") {
      joined = true;
      tries = 0;
      localStorage.setItem(TOKEN, message.token);
      begin(message, fresh);
    } else if (message.type === "refused") {
      refused = true;
      if (ENDED.includes(message.why)) localStorage.removeItem(TOKEN);
      part?.end();
      part = null;
      tell(ENDED.includes(message.why) ? message.why : `code-${message.why}`, {}, true);
    } else part?.take(message);
  };
  socket.onclose = () => {
    part?.disconnected();
    if (refused) return;
    if (joined || !fresh) {
      tell("again", {}, true);
      setTimeout(() => connect(""), AGAIN_MS[Math.min(tries++, AGAIN_MS.length - 1)]);
    } else setTimeout(() => connect(code), AGAIN_MS[Math.min(tries++, AGAIN_MS.length - 1)]);
  };
}

// A connection that brings nothing any more, as after a loss of Wi-Fi, is left; the browser would find out late.
function reconnect() {
  const { onclose } = socket;
  socket.onclose = socket.onmessage = null;
  socket.close();
  onclose();
}

// Few lengths, as twinwall/wire/padding.py has them: who listens knows lengths, and the picture of a tile has one of its own.
function padded(message) {
  const isText = typeof message === "string";
  const length = isText ? new TextEncoder().encode(message).length : message.byteLength;
  let least = isText ? 1024 : 1 << 17;
  while (least < length) least *= 2;
  if (isText) return message + " ".repeat(least - length);
  const longer = new Uint8Array(least);
  longer.set(new Uint8Array(message));
  return longer;
}

const send = (message) => socket?.readyState === WebSocket.OPEN && (socket.send(padded(message)), true);

function begin(joined, fresh) {
  const name = joined.name.split("-")[0];
  element("role").textContent = `${say("at-table", { table: joined.table })} · ${say(name, { number: joined.name.split("-")[1] ?? "" })}`;
  element("words").hidden = !fresh;
  element("words").textContent = joined.words;
  const Part = { keys: Keys, builder: Builder }[name] ?? Camera;
  part ??= new Part(joined, send, tell, fresh, reconnect);
  part.connected();
}

for (const [code, name] of Object.entries(languages)) {
  element("language").add(new Option(name, code, false, code === language()));
}
element("language").onchange = ({ target }) => {
  setLanguage(target.value);
  tell(told.key, told.values, told.lost);
};
listen(() => part?.worded());
setLanguage(language());
tell("connecting");
addEventListener("hashchange", () => location.reload());
connect(takeCode());
