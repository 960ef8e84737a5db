import { SECOND } from "#core/clock.ts";

const ALPHABET = "234567abcdefghijklmnopqrstuvwxyz";
const TID_LENGTH = 13;
const CLOCK_ID_BITS = 10n;

/**
 * The record key of a target: a TID that every run of the post computes again, also one that lost its reference. Its time is
 * the due time plus up to one second, its clock id 10 bits; both additions come from SHA-256 of post and account, so that
 * two posts of the same moment have different keys.
 */
export async function recordKey(target: {
  readonly postId: string;
  readonly accountId: string;
  readonly dueAt: number;
}): Promise<string> {
  const source = new TextEncoder().encode(`${target.postId}/${target.accountId}`);
  const digest = new DataView(await crypto.subtle.digest("SHA-256", source));
  const microseconds = target.dueAt * 1000 + (digest.getUint32(0) % (SECOND * 1000));
  const clockId = digest.getUint16(4) % 2 ** Number(CLOCK_ID_BITS);
  return encodeTid(microseconds, clockId);
}

/** 53 bits of microseconds since 1970 and 10 bits of clock id, in an alphabet that sorts (atproto.com/specs/tid). */
export function encodeTid(microseconds: number, clockId: number): string {
  const value = (BigInt(microseconds) << CLOCK_ID_BITS) | BigInt(clockId);
  let text = "";
  for (let index = TID_LENGTH - 1; index >= 0; index--) {
    text += ALPHABET[Number((value >> BigInt(5 * index)) & 31n)];
  }
  return text;
}
