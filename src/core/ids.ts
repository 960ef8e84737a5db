import { v7 } from "uuid";
import type { Clock } from "./clock.ts";

/** Ids and randomness are handed in like time. */
export interface Ids {
  /** A UUIDv7: sorts by the moment it was made. */
  uuid(): string;
  /** A UUIDv4: tells nothing about when it was made; for anything that must not be guessed. */
  secretUuid(): string;
  /** `bytes` random bytes from the system's generator. */
  random(bytes: number): Uint8Array<ArrayBuffer>;
}

export function systemIds(clock: Clock): Ids {
  return {
    uuid: () => v7({ msecs: clock.now() }),
    secretUuid: () => crypto.randomUUID(),
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
  };
}
