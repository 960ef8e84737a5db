import type { IdempotencyMode, MastodonSettings } from "./settings.ts";

/* The instances and their differences (docs/platforms/facts/mastodon.md part 2, 6.3, 6.9, 6.14 and 7). */

export interface Instance {
  readonly host: string;
  readonly title: string;
  readonly version: string;
  /** The version in `api_versions.mastodon`; null if the instance has none. */
  readonly apiVersion: number | null;
  /**
   * Whether the server is GoToSocial, which answers 400 instead of 422, counts code points and has media ready at once
   * (7 in the facts).
   */
  readonly isGoToSocial: boolean;
  /**
   * Whether the server is Mastodon 4.2, which has short answers, no metadata, no scope `profile` and no PKCE (1.1 to
   * 1.3 in the facts).
   */
  readonly is42: boolean;
  readonly idempotency: IdempotencyMode;
  readonly maxCharacters: number;
  readonly charactersPerUrl: number;
  readonly maxMedia: number;
  readonly descriptionLimit: number;
  readonly listsDescriptionLimit: boolean;
  readonly imageSizeLimit: number;
  readonly videoSizeLimit: number;
  readonly scopes: ReadonlySet<string>;
}

export const IMAGE_MATRIX_LIMIT = 33_177_600;
export const VIDEO_MATRIX_LIMIT = 8_294_400;
export const FRAME_RATE_LIMIT = 120;
/** The largest size of an animated GIF in pixels. The API does not list it (M attachmentable.rb). */
export const GIF_MATRIX_LIMIT = 921_600;
const DESCRIPTION_LIMIT = 1500;

const READ_SCOPES =
  "read read:accounts read:blocks read:bookmarks read:favourites read:filters read:follows read:lists read:mutes read:notifications read:search read:statuses";
const WRITE_SCOPES =
  "write write:accounts write:blocks write:bookmarks write:conversations write:favourites write:filters write:follows write:lists write:media write:mutes write:notifications write:reports write:statuses";
const SCOPES_42 = `${READ_SCOPES} ${WRITE_SCOPES} follow push`.split(" ");

const vanilla = {
  title: "Mastodon (sandbox)",
  isGoToSocial: false,
  is42: false,
  maxCharacters: 500,
  charactersPerUrl: 23,
  maxMedia: 4,
  imageSizeLimit: 16_777_216,
  videoSizeLimit: 103_809_024,
  scopes: new Set([...SCOPES_42, "profile"]),
} as const;

const INSTANCES: readonly Instance[] = [
  {
    ...vanilla,
    host: "mastodon.example",
    version: "4.6.5",
    apiVersion: 11,
    idempotency: "ok",
    // The limit of descriptions is 10,000 since 4.6 (M media_attachment.rb).
    descriptionLimit: 10_000,
    listsDescriptionLimit: true,
  },
  // mastodon.social, the largest server. The check of an installation calls it.
  {
    ...vanilla,
    host: "mastodon.social",
    version: "4.6.5",
    apiVersion: 11,
    idempotency: "ok",
    descriptionLimit: 10_000,
    listsDescriptionLimit: true,
  },
  {
    ...vanilla,
    host: "long.mastodon.example",
    version: "4.3.23+glitch",
    apiVersion: 2,
    idempotency: "4.5",
    maxCharacters: 5000,
    descriptionLimit: DESCRIPTION_LIMIT,
    listsDescriptionLimit: false,
  },
  {
    ...vanilla,
    host: "old.mastodon.example",
    version: "4.2.0",
    apiVersion: null,
    is42: true,
    idempotency: "4.5",
    descriptionLimit: DESCRIPTION_LIMIT,
    listsDescriptionLimit: false,
    scopes: new Set(SCOPES_42),
  },
  {
    ...vanilla,
    host: "gts.example",
    title: "GoToSocial (sandbox)",
    version: "0.20.0+git-57cb4fe",
    apiVersion: null,
    isGoToSocial: true,
    idempotency: "none",
    maxCharacters: 5000,
    // GoToSocial reports 25 characters per URL, although it counts the full URL (GTS
    // internal/typeutils/internaltofrontend.go).
    charactersPerUrl: 25,
    maxMedia: 6,
    descriptionLimit: DESCRIPTION_LIMIT,
    listsDescriptionLimit: true,
  },
];

export const HOSTS: readonly string[] = INSTANCES.map(({ host }) => host);

/** The instance with the limits from the settings, which apply to every host. */
export function findInstance(host: string, settings: MastodonSettings): Instance | undefined {
  const instance = INSTANCES.find((one) => one.host === host);
  return (
    instance && {
      ...instance,
      idempotency: settings.idempotency ?? instance.idempotency,
      maxCharacters: settings.maxCharacters ?? instance.maxCharacters,
      maxMedia: settings.maxMedia ?? instance.maxMedia,
      descriptionLimit: settings.descriptionLimit ?? instance.descriptionLimit,
      listsDescriptionLimit: instance.listsDescriptionLimit && !settings.hidesDescriptionLimit,
      imageSizeLimit: settings.imageSizeLimit ?? instance.imageSizeLimit,
      videoSizeLimit: settings.videoSizeLimit ?? instance.videoSizeLimit,
    }
  );
}

const IMAGE_TYPES = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const HEIC_TYPES = ["image/heic", "image/heif", "image/avif"];
const VIDEO_TYPES = ["video/webm", "video/mp4", "video/quicktime", "video/ogg"];
const AUDIO_TYPES =
  "wave wav x-wav x-pn-wave vnd.wave ogg vorbis mpeg mp3 webm flac aac m4a x-m4a mp4 3gpp x-ms-wma".split(" ");

/**
 * The MIME types that the instance lists. HEIC, HEIF and AVIF need the setting: 4.7.2 lists them but answers 500
 * (mastodon#40541).
 */
export const supportedMimeTypes = (settings: MastodonSettings): readonly string[] => [
  ...IMAGE_TYPES,
  ...(settings.listsHeic ? HEIC_TYPES : []),
  ...VIDEO_TYPES,
  ...AUDIO_TYPES.map((subtype) => `audio/${subtype}`),
];
