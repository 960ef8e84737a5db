import type { SimulatorContext } from "#sandbox/contract.ts";

/* The settings that only the Mastodon simulator has, read in one place. */

/** The ways in which instances treat a repeated `Idempotency-Key` (docs/platforms/facts/mastodon.md 4.2 and 6.14). */
const IDEMPOTENCY_MODES = ["ok", "4.6", "4.5", "none", "pleroma"] as const;
export type IdempotencyMode = (typeof IDEMPOTENCY_MODES)[number];

/** The points in which the simulator is stricter than the real server. The setting `lenient` switches each off. */
type Leniency = "user_agent" | "unknown_params" | "throttles" | "mixed_gif" | "media_ids_string";

export interface MastodonSettings {
  isLenient(about: Leniency): boolean;
  /** The state of the login `ben`, such as `unconfirmed`; empty if it has no problem. */
  readonly benState: string;
  readonly idempotency: IdempotencyMode | undefined;
  /** The locale of the instance and of its users. */
  readonly language: string | undefined;
  readonly isV1Only: boolean;
  readonly hidesDescriptionLimit: boolean;
  readonly listsHeic: boolean;
  readonly maxCharacters: number | undefined;
  readonly descriptionLimit: number | undefined;
  readonly maxMedia: number | undefined;
  readonly imageSizeLimit: number | undefined;
  readonly videoSizeLimit: number | undefined;
  readonly failsProcessing: boolean;
  /** How long the server works on a status before it saves it. */
  readonly publishMs: number;
  /** When set, the front end answers 504 and the server saves the status this many milliseconds later. */
  readonly lateMs: number | undefined;
  /** How long a parallel repeat waits for the lock of its key. */
  readonly lockWaitMs: number;
  /** The server answers with success, but never saves the status. */
  readonly dropsSilently: boolean;
  /** The host in the endpoints of the metadata. */
  readonly metadataHost: string | undefined;
  /** How long the title of an instance is, in characters. */
  readonly titleLength: number;
  /** The issuer that redirects back to an app name (RFC 9207); undefined: none, as with Doorkeeper without its setting `issuer`. */
  readonly issuer: string | undefined;
}

const toNumber = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
const toText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

const LOCK_WAIT_MS = 10_000;

export function readSettings(sim: SimulatorContext): MastodonSettings {
  const {
    lenient,
    ben_state,
    idempotency,
    language,
    v1_only,
    no_description_limit,
    heic,
    max_characters,
    description_limit,
    max_media,
    image_size_limit,
    video_size_limit,
    fail_processing,
    publish_ms,
    late_ms,
    lock_wait_ms,
    silent_drop,
    metadata_host,
    issuer,
    title_length,
  } = sim.settings.extra;
  const leniencies = new Set((toText(lenient) ?? "").split(",").map((name) => name.trim()));
  return {
    isLenient: (about) => leniencies.has(about),
    benState: toText(ben_state) ?? "",
    idempotency: IDEMPOTENCY_MODES.find((mode) => mode === idempotency),
    language: toText(language),
    isV1Only: v1_only === true,
    hidesDescriptionLimit: no_description_limit === true,
    listsHeic: heic === true,
    maxCharacters: toNumber(max_characters),
    descriptionLimit: toNumber(description_limit),
    maxMedia: toNumber(max_media),
    imageSizeLimit: toNumber(image_size_limit),
    videoSizeLimit: toNumber(video_size_limit),
    failsProcessing: fail_processing === true,
    publishMs: toNumber(publish_ms) ?? 0,
    lateMs: toNumber(late_ms),
    lockWaitMs: toNumber(lock_wait_ms) ?? LOCK_WAIT_MS,
    dropsSilently: silent_drop === true,
    metadataHost: toText(metadata_host),
    issuer: toText(issuer),
    titleLength: toNumber(title_length) ?? 0,
  };
}
