import * as fc from "fast-check";
import { concatBytes } from "./bytes.ts";

export type Mutation = (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>;

const position = fc.double({ min: 0, max: 1, noNaN: true });
const indexAt = (bytes: Uint8Array, where: number) => Math.floor(where * Math.max(0, bytes.length - 1));

/** Inspection ignores most of a file's data, so half of all mutations are near its beginning. */
const mutationPosition = fc.oneof(
  position,
  position.map((where) => where / 150),
);

/** One way to damage a file; `others` are files that may be appended to it. */
export const mutations = (others: readonly Uint8Array[]): fc.Arbitrary<Mutation> =>
  fc.oneof(
    fc.record({ where: mutationPosition, value: fc.nat(255) }).map(({ where, value }): Mutation => (bytes) => {
      bytes[indexAt(bytes, where)] = value;
      return bytes;
    }),
    fc.record({ where: mutationPosition, bit: fc.nat(7) }).map(({ where, bit }): Mutation => (bytes) => {
      bytes[indexAt(bytes, where)]! ^= 1 << bit;
      return bytes;
    }),
    fc
      .record({
        where: mutationPosition,
        value: fc.constantFrom(0, 1, 2, 7, 8, 15, 16, 0x7fff_ffff, 0x8000_0000, 0xffff_fff0, 0xffff_ffff),
      })
      .map(({ where, value }): Mutation => (bytes) => {
        if (bytes.length >= 4) {
          new DataView(bytes.buffer).setUint32(Math.min(indexAt(bytes, where), bytes.length - 4), value);
        }
        return bytes;
      }),
    position.map(
      (where): Mutation =>
        (bytes) =>
          bytes.slice(0, indexAt(bytes, where)),
    ),
    fc.record({ where: mutationPosition, length: fc.nat(64) }).map(
      ({ where, length }): Mutation =>
        (bytes) =>
          concatBytes(bytes.subarray(0, indexAt(bytes, where)), bytes.subarray(indexAt(bytes, where) + length)),
    ),
    fc.record({ where: mutationPosition, more: fc.uint8Array({ maxLength: 64 }) }).map(
      ({ where, more }): Mutation =>
        (bytes) =>
          concatBytes(bytes.subarray(0, indexAt(bytes, where)), more, bytes.subarray(indexAt(bytes, where))),
    ),
    fc
      .record({ from: mutationPosition, to: mutationPosition, length: fc.nat(2000) })
      .map(({ from, to, length }): Mutation => (bytes) => {
        bytes.copyWithin(indexAt(bytes, to), indexAt(bytes, from), indexAt(bytes, from) + length);
        return bytes;
      }),
    fc.constantFrom(...others).map(
      (other): Mutation =>
        (bytes) =>
          concatBytes(bytes, other),
    ),
  );
