// SHA-256 (FIPS 180-4) and SHAKE-256 (FIPS 202) over bytes. A page from a file has no other hashes in every browser.

const SHA_ROUNDS = (() => {
  const constants = [];
  for (let candidate = 2; constants.length < 64; candidate++) {
    let isPrime = true;
    for (let factor = 2; factor * factor <= candidate; factor++) if (candidate % factor === 0) isPrime = false;
    if (isPrime) constants.push(Math.floor((Math.cbrt(candidate) % 1) * 2 ** 32) | 0);
  }
  return Int32Array.from(constants);
})();
const SHA_START = Int32Array.from([2, 3, 5, 7, 11, 13, 17, 19], (prime) => Math.floor((Math.sqrt(prime) % 1) * 2 ** 32) | 0);

function sha256(bytes) {
  const state = SHA_START.slice(), words = new Int32Array(64);
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
  for (let block = 0; block < padded.length; block += 64) shaBlock(state, words, view, block);
  const digest = new Uint8Array(32), out = new DataView(digest.buffer);
  state.forEach((word, index) => out.setInt32(4 * index, word));
  return digest;
}

function shaBlock(state, words, view, block) {
  const turn = (word, by) => (word >>> by) | (word << (32 - by));
  for (let i = 0; i < 16; i++) words[i] = view.getInt32(block + 4 * i);
  for (let i = 16; i < 64; i++) {
    const one = words[i - 15], two = words[i - 2];
    const left = turn(one, 7) ^ turn(one, 18) ^ (one >>> 3), right = turn(two, 17) ^ turn(two, 19) ^ (two >>> 10);
    words[i] = (words[i - 16] + left + words[i - 7] + right) | 0;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const first = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + SHA_ROUNDS[i] + words[i]) | 0;
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g; g = f; f = e; e = (d + first) | 0; d = c; c = b; b = a; a = (first + second) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => { state[index] = (state[index] + word) | 0; });
}

const SHAKE_RATE = 136;
const KECCAK_TURNS = [0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14];
const KECCAK_ROUNDS = (() => {
  // The constants of iota come from a shift register (FIPS 202, 3.2.5).
  const rounds = [];
  let register = 1;
  for (let round = 0; round < 24; round++) {
    let low = 0, high = 0;
    for (let power = 0; power < 7; power++) {
      const bit = 2 ** power - 1;
      if (register & 1) {
        if (bit < 32) low |= 1 << bit; else high |= 1 << (bit - 32);
      }
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1;
    }
    rounds.push([low, high]);
  }
  return rounds;
})();

/** The first `length` bytes of SHAKE-256 over bytes. */
function shake256(bytes, length) {
  const state = new Int32Array(50), output = new Uint8Array(length), block = new Uint8Array(SHAKE_RATE), words = new DataView(block.buffer);
  for (let from = 0; from <= bytes.length; from += SHAKE_RATE) {
    const part = bytes.subarray(from, from + SHAKE_RATE);
    block.fill(0);
    block.set(part);
    if (part.length < SHAKE_RATE) {
      block[part.length] ^= 0x1f;
      block[SHAKE_RATE - 1] ^= 0x80;
    }
    for (let i = 0; i < SHAKE_RATE / 4; i++) state[i] ^= words.getInt32(4 * i, true);
    keccak(state);
  }
  for (let given = 0; given < length; given += SHAKE_RATE) {
    if (given) keccak(state);
    for (let i = 0; i < SHAKE_RATE / 4; i++) words.setInt32(4 * i, state[i], true);
    output.set(block.subarray(0, Math.min(SHAKE_RATE, length - given)), given);
  }
  return output;
}

/** Keccak-f[1600]; lane x + 5y is the words 2(x + 5y), low, and the one after it, high. */
function keccak(state) {
  const column = new Int32Array(10), moved = new Int32Array(50);
  for (const [low, high] of KECCAK_ROUNDS) {
    for (let i = 0; i < 10; i++) column[i] = state[i] ^ state[i + 10] ^ state[i + 20] ^ state[i + 30] ^ state[i + 40];
    for (let x = 0; x < 5; x++) {
      const left = 2 * ((x + 4) % 5), right = 2 * ((x + 1) % 5);
      const lowMix = column[left] ^ ((column[right] << 1) | (column[right + 1] >>> 31));
      const highMix = column[left + 1] ^ ((column[right + 1] << 1) | (column[right] >>> 31));
      for (let y = 0; y < 50; y += 10) {
        state[2 * x + y] ^= lowMix;
        state[2 * x + y + 1] ^= highMix;
      }
    }
    for (let x = 0; x < 5; x++) {
      for (let y = 0; y < 5; y++) turnLane(state, 2 * (x + 5 * y), moved, 2 * (y + 5 * ((2 * x + 3 * y) % 5)), KECCAK_TURNS[x + 5 * y]);
    }
    for (let y = 0; y < 50; y += 10) {
      for (let x = 0; x < 10; x++) state[y + x] = moved[y + x] ^ (~moved[y + ((x + 2) % 10)] & moved[y + ((x + 4) % 10)]);
    }
    state[0] ^= low;
    state[1] ^= high;
  }
}

function turnLane(from, at, to, place, by) {
  const [low, high] = by < 32 ? [from[at], from[at + 1]] : [from[at + 1], from[at]], rest = by % 32;
  to[place] = rest ? (low << rest) | (high >>> (32 - rest)) : low;
  to[place + 1] = rest ? (high << rest) | (low >>> (32 - rest)) : high;
}
