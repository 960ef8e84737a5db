import type { JsonObject } from "#core/json.ts";
import type { AccountAccess, ValidationInput, MediaDescription, Job, JobMedia } from "#platforms/contract.ts";

/** Tokens and secrets that must not appear in anything an adapter returns. */
export const SECRETS = [
  "secret-access-token-0123456789",
  "secret-login-token-0123456789",
  "secret-app-secret-0123456789",
] as const;

export const NOW = Date.parse("2030-01-01T12:00:00Z");

export function accountAccess(overrides: Partial<AccountAccess> = {}): AccountAccess {
  return {
    platformAccountId: "17841400008460057",
    username: "ada",
    capabilities: {},
    accessToken: SECRETS[0],
    loginToken: SECRETS[1],
    extra: {},
    app: { clientId: "client-id", clientSecret: SECRETS[2], settings: {} },
    ...overrides,
  };
}

export function image(overrides: Partial<MediaDescription> = {}): MediaDescription {
  return {
    id: "0197a000-0000-7000-8000-000000000001",
    type: "image",
    contentType: "image/jpeg",
    sizeBytes: 1000,
    width: 1080,
    height: 1350,
    durationSeconds: null,
    facts: {},
    ...overrides,
  };
}

export function video(overrides: Partial<MediaDescription> = {}): MediaDescription {
  return {
    id: "0197a000-0000-7000-8000-000000000002",
    type: "video",
    contentType: "video/mp4",
    sizeBytes: 2000,
    width: 720,
    height: 1280,
    durationSeconds: 10,
    facts: {},
    ...overrides,
  };
}

/** A file whose bytes depend on their offset, so that a chunk from the wrong place is detected. */
function toJobMedia({ cover, ...media }: MediaDescription): JobMedia {
  const bytes = (offset: number, length: number) => {
    const filled = new Uint8Array(length);
    for (let index = 0; index < length; index++) {
      filled[index] = (offset + index) % 251;
    }
    return filled;
  };
  return {
    ...media,
    ...(cover && {
      cover: {
        ...(cover.atMs !== undefined && { atMs: cover.atMs }),
        ...(cover.image && { image: toJobMedia({ ...cover.image, facts: {} }) }),
      },
    }),
    sha256: "0".repeat(64),
    url: `https://media.example.com/${media.id}/file`,
    filename: media.type === "video" ? "clip.mp4" : "picture.jpg",
    read: (range) => Promise.resolve(new Blob([bytes(range?.offset ?? 0, range?.length ?? media.sizeBytes)]).stream()),
  };
}

export interface JobOverrides extends Partial<Omit<Job, "media">> {
  readonly media?: readonly MediaDescription[];
}

export function job(overrides: JobOverrides = {}): Job {
  const media = (overrides.media ?? []).map(toJobMedia);
  return {
    postId: "0197a000-0000-7000-8000-00000000000a",
    accountId: "0197a000-0000-7000-8000-00000000000b",
    account: accountAccess(),
    caption: "Release notes are out",
    postType: media.length === 0 ? "text" : media[0]?.type === "video" ? "video" : "image",
    options: {},
    dueAt: NOW,
    committedAt: null,
    lastCommittedAt: overrides.committedAt ?? null,
    progress: null,
    siblings: [],
    now: NOW,
    ...overrides,
    media,
  };
}

export function validationInput(
  overrides: Partial<Omit<ValidationInput, "account">> & { capabilities?: JsonObject } = {},
): ValidationInput {
  const { capabilities = {}, ...rest } = overrides;
  const media = rest.media ?? [];
  return {
    caption: "Release notes are out",
    postType: media.length === 0 ? "text" : media[0]?.type === "video" ? "video" : "image",
    options: {},
    settings: {},
    ...rest,
    media,
    account: { username: "ada", capabilities },
  };
}
