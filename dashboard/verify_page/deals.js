// The deal protocol `twinwall-deal-1`: plan, start, slips and the deals that they open (documented in docs/reference/custody.md).

const KEY_SIZE = 80, DIGEST_SIZE = 32, CODE_SIZE = 20;
const SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const SEATS = "ESWN", HAND = 13;

/** What is not as committed: `part` is the word that twinwall deals verify says too. */
class NotProved extends Error {
  constructor(part) {
    super(part);
    this.part = part;
  }
}

class CodeError extends Error {}

function utf8(text) {
  return new TextEncoder().encode(text);
}

function joined(parts) {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Every part after its length in four bytes. */
function enc(...parts) {
  return joined(parts.flatMap((part) => {
    const raw = part instanceof Uint8Array ? part : utf8(String(part)), length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, raw.length);
    return [length, raw];
  }));
}

function readPlan(bytes) {
  const fields = new Fields(readObject(bytes));
  fields.constant("format", "twinwall-plan-1");
  const plan = {digest: sha256(bytes), event: fields.words("event"), holders: fields.list("holders"), from: fields.text("public")};
  plan.deals = fields.list("deals").map((each, index) => {
    const deal = new Fields(each);
    const read = {n: deal.integer("n"), session: deal.integer("session"), hand: deal.integer("hand"), rules: deal.words("rules")};
    deal.done();
    if (read.n !== index + 1) throw new FormatError("deals are not numbered 1, 2, 3");
    return read;
  });
  if (fields.left.has("field")) new Fields(fields.take("field")); // the terms of many venues: the digest covers them, no deal depends on them
  fields.done();
  if (!plan.holders.length || !plan.deals.length || plan.holders.some((name) => typeof name !== "string")) throw new FormatError("holders or deals are missing");
  return plan;
}

function readStart(bytes) {
  const fields = new Fields(readObject(bytes));
  fields.constant("format", "twinwall-start-1");
  const start = {plan: fields.hex("plan", DIGEST_SIZE), root: fields.hex("root", DIGEST_SIZE), public: fields.text("public")};
  fields.done();
  return start;
}

function readSlip(bytes) {
  const fields = new Fields(readObject(bytes));
  fields.constant("format", "twinwall-slip-1");
  const slip = {
    n: fields.integer("n"),
    public: fields.words("public"),
    keys: fields.list("keys").map((key) => fromHex(key, KEY_SIZE)),
    path: fields.list("path").map((digest) => fromHex(digest, DIGEST_SIZE)),
    digest: fields.hex("digest", DIGEST_SIZE),
    check: fields.hex("check", DIGEST_SIZE),
  };
  fields.done();
  return slip;
}

function codeOfStart(start) {
  return sha256(enc("twinwall-start-1", start.plan, start.root, start.public));
}

function wordsOfCode(code) {
  let bits = "";
  for (const byte of code.slice(0, CODE_SIZE)) bits += byte.toString(2).padStart(8, "0");
  return bits.match(/.{5}/g).map((five) => SYMBOLS[parseInt(five, 2)]).join("").match(/.{4}/g).join("-");
}

/** A code as a person gives it: eight groups, or all of it in hex; its bytes, or the first twenty. Throws CodeError. */
function readCode(text) {
  const given = text.normalize("NFKC").replace(/[\p{Pd}\p{Zs}\p{Cc}]/gu, "");
  if (/^[0-9a-fA-F]{64}$/.test(given)) return fromHex(given.toLowerCase(), DIGEST_SIZE);
  if (!/^[\x21-\x7e]*$/.test(given)) throw new CodeError("symbol");
  const symbols = given.toUpperCase().replaceAll("O", "0").replace(/[IL]/g, "1");
  if (symbols.length !== 32) throw new CodeError("length");
  let bits = "";
  for (const symbol of symbols) {
    if (!SYMBOLS.includes(symbol)) throw new CodeError("symbol");
    bits += SYMBOLS.indexOf(symbol).toString(2).padStart(5, "0");
  }
  return Uint8Array.from(bits.match(/.{8}/g), (eight) => parseInt(eight, 2));
}

function hasCode(start, code) {
  return same(codeOfStart(start).slice(0, code.length), code);
}

function leftSize(size) {
  return 2 ** (31 - Math.clz32(size - 1));
}

function pathLength(size, index) {
  if (size === 1) return 0;
  const split = leftSize(size);
  return 1 + (index < split ? pathLength(split, index) : pathLength(size - split, index - split));
}

function rootFromPath(leaf, index, size, path) {
  if (size === 1) return sha256(joined([Uint8Array.of(0), leaf]));
  const split = leftSize(size), rest = path.slice(0, -1), beside = path[path.length - 1];
  const [left, right] = index < split
    ? [rootFromPath(leaf, index, split, rest), beside]
    : [beside, rootFromPath(leaf, index - split, size - split, rest)];
  return sha256(joined([Uint8Array.of(1), left, right]));
}

function rootOfSlip(plan, slip) {
  const leaf = joined(plan.holders.map((holder, index) => sha256(enc("twinwall-commit-1", plan.digest, holder, slip.n, slip.keys[index]))));
  return rootFromPath(leaf, slip.n - 1, plan.deals.length, slip.path);
}

function checkLengths(plan, slip) {
  if (slip.n > plan.deals.length) throw new NotProved("plan");
  if (slip.keys.length !== plan.holders.length) throw new NotProved("key");
  if (slip.path.length !== pathLength(plan.deals.length, slip.n - 1)) throw new NotProved("path");
}

/** The start that a slip claims: the root that it leads to, and its public value. It counts only with the right code. */
function startOfSlip(plan, slip) {
  checkLengths(plan, slip);
  return {plan: plan.digest, root: rootOfSlip(plan, slip), public: slip.public};
}

/** The deal that keys, root and public value lead to. */
function dealFromKeys(plan, start, n, keys) {
  const planned = plan.deals[n - 1], layout = LAYOUTS[planned.rules];
  if (layout === undefined) throw new NotProved("plan");
  const tiles = layout.kinds.split(" ").flatMap((kind) => [kind, kind, kind, kind]);
  shuffle(tiles, enc("twinwall-deal-1", start.root, start.public, plan.event, planned.session, planned.hand, planned.rules, ...keys));
  const walls = Object.fromEntries([...SEATS].map((seat, index) => [seat, tiles.slice(index * layout.wall, (index + 1) * layout.wall)]));
  const rest = tiles.slice(4 * layout.wall);
  const lines = [...SEATS].map((seat) => `${seat} ${walls[seat].join(" ")}\n`).join("") + (rest.length ? `- ${rest.join(" ")}\n` : "");
  const digest = sha256(utf8(lines));
  return {...planned, walls, rest, digest, check: sha256(enc("twinwall-check-1", start.root, n, digest, ...keys))};
}

/** Every order is equally likely: words that would favour one are skipped. */
function shuffle(tiles, stream) {
  let length = 4 * 136, words = new DataView(shake256(stream, length).buffer), at = 0;
  for (let last = tiles.length - 1; last > 0; last--) {
    const span = last + 1, limit = 2 ** 32 - (2 ** 32 % span);
    let word;
    do {
      if (at === length) words = new DataView(shake256(stream, (length *= 2)).buffer);
      word = words.getUint32(at);
      at += 4;
    } while (word >= limit);
    [tiles[last], tiles[word % span]] = [tiles[word % span], tiles[last]];
  }
}

/** Make the deal of a slip again under a start; throws NotProved with the part that differs. */
function verifySlip(plan, start, slip) {
  checkLengths(plan, slip);
  if (slip.public !== start.public) throw new NotProved("public");
  const deal = dealFromKeys(plan, start, slip.n, slip.keys);
  if (!same(rootOfSlip(plan, slip), start.root)) {
    throw new NotProved(same(deal.digest, slip.digest) && same(deal.check, slip.check) ? "path" : "key");
  }
  if (!same(deal.digest, slip.digest)) throw new NotProved("digest");
  if (!same(deal.check, slip.check)) throw new NotProved("check");
  return deal;
}

/** What is to be said of a slip's bytes: its deal, or the part that fails ("format" where it is no slip). */
function checkSlip(plan, start, bytes) {
  let n = null;
  try {
    const slip = readSlip(bytes);
    n = slip.n;
    if (start === null) throw new NotProved("start");
    return {n, good: true, deal: verifySlip(plan, start, slip)};
  } catch (error) {
    if (error instanceof NotProved) return {n, good: false, part: error.part};
    if (error instanceof FormatError) return {n, good: false, part: "format"};
    throw error;
  }
}
