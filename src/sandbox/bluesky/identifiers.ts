import type { SimulatorContext } from "#sandbox/contract.ts";

/* Makes CIDs and TIDs. */

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
const TID_ALPHABET = "234567abcdefghijklmnopqrstuvwxyz";
export const TID = /^[234567abcdefghij][234567a-z]{12}$/;
export const CID = /^baf[a-z2-7]{56}$/;
const RAW_CODEC = 0x55;
const DAG_CBOR_CODEC = 0x71;

function base32(bytes: Uint8Array): string {
  let [text, buffer, bits] = ["", 0, 0];
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      text += BASE32[(buffer >> (bits - 5)) & 31];
      bits -= 5;
    }
    buffer &= (1 << bits) - 1;
  }
  return bits > 0 ? text + BASE32[(buffer << (5 - bits)) & 31] : text;
}

function cid(codec: number, sha256: string): string {
  const digest = Uint8Array.from(sha256.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return `b${base32(Uint8Array.from([0x01, codec, 0x12, 0x20, ...digest]))}`;
}

/** The CID of a blob. It is the real one, so the same bytes always have the same CID. */
export const blobCid = (sha256: string): string => cid(RAW_CODEC, sha256);

/** The CID of a record or commit. A real one hashes DAG-CBOR; this one hashes JSON with sorted keys. */
export const recordCid = (sha256: string): string => cid(DAG_CBOR_CODEC, sha256);

/** The next TID: 53 bits of microseconds and 10 bits of clock id (W specs/tid). TIDs of one simulator always rise. */
export function nextTid(sim: SimulatorContext): string {
  const last = sim.store.get<number>("last-tid-micros") ?? 0;
  const micros = Math.max(sim.now() * 1000, last + 1);
  sim.store.put("last-tid-micros", micros);
  let value = (BigInt(micros) << 10n) | (BigInt(crypto.getRandomValues(new Uint16Array(1))[0] ?? 0) % 1024n);
  let text = "";
  for (let digit = 0; digit < 13; digit += 1) {
    text = (TID_ALPHABET[Number(value & 31n)] ?? "") + text;
    value >>= 5n;
  }
  return text;
}
