import { crc32 } from "node:zlib";
import { sha256Hex } from "#core/encoding.ts";
import type { Ids } from "#core/ids.ts";

/** The kinds of secrets. A secret scanner reads the kind from the third letter of a secret. */
export const KIND_LETTERS = {
  api_key: "k",
  access_token: "a",
  refresh_token: "r",
  client_secret: "c",
  authorization_code: "o",
  session: "s",
} as const;
export type SecretKind = keyof typeof KIND_LETTERS;

/** The form of this service's secrets, for secret scanners. A checksum inside excludes accidental matches. */
export const SECRET_PATTERN = /\bal[karcos]_[0-9A-Za-z]{49}\b/;

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_BYTES = 32;
/** 43 characters carry 256 random bits, because 62^43 is the first power of 62 above 2^256. */
const RANDOM_CHARACTERS = 43;
const CHECKSUM_CHARACTERS = 6;
const SECRET_FORMAT = /^al([karcos])_[0-9A-Za-z]{49}$/;

const KIND_OF_LETTER: ReadonlyMap<string, SecretKind> = new Map(
  Object.entries(KIND_LETTERS).map(([kind, letter]) => [letter, kind as SecretKind]),
);

function base62(value: bigint, length: number): string {
  let text = "";
  for (let remainder = value; text.length < length; remainder /= 62n) {
    text = (ALPHABET[Number(remainder % 62n)] ?? "") + text;
  }
  return text;
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_CHARACTERS);
}

/**
 * Makes a secret of 256 random bits: `al?_`, 43 characters of base62, and 6 characters of CRC-32 over the characters
 * before.
 */
export function generateSecret(ids: Pick<Ids, "random">, kind: SecretKind): string {
  let value = 0n;
  for (const byte of ids.random(RANDOM_BYTES)) {
    value = (value << 8n) | BigInt(byte);
  }
  const body = `al${KIND_LETTERS[kind]}_${base62(value, RANDOM_CHARACTERS)}`;
  return body + checksum(body);
}

/**
 * The kind of a well-formed secret. Null for other text, so that typing errors and random text never reach the
 * database.
 */
export function secretKind(text: string): SecretKind | null {
  const letter = SECRET_FORMAT.exec(text)?.[1];
  if (letter === undefined || checksum(text.slice(0, -CHECKSUM_CHARACTERS)) !== text.slice(-CHECKSUM_CHARACTERS)) {
    return null;
  }
  return KIND_OF_LETTER.get(letter) ?? null;
}

/**
 * Hashes a secret for the database. SHA-256 without a salt is enough for 256 random bits, and a unique index can find
 * it.
 */
export function hashSecret(secret: string): Promise<string> {
  return sha256Hex(secret);
}

/** The part of an API key that lists show, because the whole key is shown only once. */
export function secretHint(secret: string): string {
  return `${secret.slice(0, 8)}…${secret.slice(-4)}`;
}
