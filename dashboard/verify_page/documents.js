// Strict reading of JSON: what the program in Python refuses is refused here, so that both say the same of a slip.

const MOST_DEPTH = 500, MOST_DIGITS = 4300;

class FormatError extends Error {}

/** A number that is written with a fraction or an exponent: no whole number, whatever its value. */
class Inexact {}

/** Read one JSON object from bytes; a key that is written twice is an error. */
function readObject(bytes) {
  let text;
  try {
    text = new TextDecoder("utf-8", {fatal: true}).decode(bytes);
  } catch {
    throw new FormatError("no UTF-8 text");
  }
  const value = new JsonReader(text).read();
  if (!isObject(value)) throw new FormatError("no object");
  return value;
}

function isObject(value) {
  return value instanceof Map;
}

class JsonReader {
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.depth = 0;
  }

  read() {
    const value = this.value();
    this.blanks();
    if (this.at < this.text.length) this.fail();
    return value;
  }

  fail() {
    throw new FormatError(`no JSON at character ${this.at + 1}`);
  }

  match(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return null;
    this.at = pattern.lastIndex;
    return found[0];
  }

  blanks() {
    this.match(/[ \t\n\r]*/y);
  }

  take(sign) {
    this.blanks();
    if (this.text[this.at] !== sign) return false;
    this.at++;
    return true;
  }

  value() {
    if (++this.depth > MOST_DEPTH) this.fail();
    this.blanks();
    const sign = this.text[this.at];
    const value = sign === "{" ? this.object() : sign === "[" ? this.list() : sign === '"' ? this.string() : this.scalar();
    this.depth--;
    return value;
  }

  scalar() {
    const word = this.match(/true|false|null/y);
    if (word !== null) return {true: true, false: false, null: null}[word];
    const number = this.match(/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|NaN|-?Infinity/y);
    if (number === null) this.fail();
    if (!/^-?[0-9]+$/.test(number)) return new Inexact();
    if (number.length > MOST_DIGITS) this.fail();
    return BigInt(number);
  }

  string() {
    const found = this.match(/"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y);
    if (found === null) this.fail();
    return JSON.parse(found);
  }

  list() {
    const items = [];
    this.take("[");
    if (this.take("]")) return items;
    do items.push(this.value()); while (this.take(","));
    if (!this.take("]")) this.fail();
    return items;
  }

  object() {
    const found = new Map();
    this.take("{");
    if (this.take("}")) return found;
    do {
      this.blanks();
      const key = this.string();
      if (found.has(key)) throw new FormatError(`the key ${key} is written twice`);
      if (!this.take(":")) this.fail();
      found.set(key, this.value());
    } while (this.take(","));
    if (!this.take("}")) this.fail();
    return found;
  }
}

/** The keys of an object, taken one by one; `done` refuses the others. */
class Fields {
  constructor(value) {
    if (!isObject(value)) throw new FormatError("no object");
    this.left = new Map(value);
  }

  take(key) {
    if (!this.left.has(key)) throw new FormatError(`the key ${key} is missing`);
    const value = this.left.get(key);
    this.left.delete(key);
    return value;
  }

  constant(key, expected) {
    if (this.take(key) !== expected) throw new FormatError(`${key} is not ${expected}`);
  }

  text(key) {
    const value = this.take(key);
    if (typeof value !== "string") throw new FormatError(`${key} is no text`);
    return value;
  }

  words(key) {
    const value = this.text(key);
    if (/^[\s\x1c-\x1f\x85]*$/.test(value.replaceAll("\ufeff", "x"))) throw new FormatError(`${key} is empty`);
    return value;
  }

  integer(key) {
    const value = this.take(key);
    if (typeof value !== "bigint" || value < 1n) throw new FormatError(`${key} is no number from 1 up`);
    return value > 1_000_000n ? 1_000_000 : Number(value);
  }

  list(key) {
    const value = this.take(key);
    if (!Array.isArray(value)) throw new FormatError(`${key} is no list`);
    return value;
  }

  hex(key, size) {
    return fromHex(this.take(key), size);
  }

  done() {
    for (const key of this.left.keys()) throw new FormatError(`the key ${key} is not known`);
  }
}

function fromHex(value, size) {
  if (typeof value !== "string" || value.length !== 2 * size || !/^[0-9a-f]*$/.test(value)) throw new FormatError("no digits of this length");
  return Uint8Array.from({length: size}, (_, index) => parseInt(value.slice(2 * index, 2 * index + 2), 16));
}

function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function same(one, other) {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
