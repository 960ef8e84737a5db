import { v7 } from "uuid";
import type { Clock } from "./clock.ts";

/** Makes ids and random bytes. Callers pass it in, so that tests control the results. */
export interface Ids {
  /** A UUIDv7. Sorting such ids sorts them by creation time. */
  uuid(): string;
  /** A UUIDv4, for ids that must not be guessed. */
  secretUuid(): string;
  /** Cryptographically secure random bytes. */
  random(bytes: number): Uint8Array<ArrayBuffer>;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether the text is a UUID of any version in lower case, like stored ids. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

export function systemIds(clock: Clock): Ids {
  return {
    uuid: () => v7({ msecs: clock.now() }),
    secretUuid: () => crypto.randomUUID(),
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
  };
}
