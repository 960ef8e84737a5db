import type { JsonObject, JsonValue } from "#core/json.ts";
import { problem } from "./answers.ts";

/* What may be said about a video: platforms/youtube.md parts 2.1 and 3. */

const TITLE_MAX = 100;
const DESCRIPTION_MAX_BYTES = 5000;
const TAGS_MAX = 500;
const PRIVACY = new Set(["public", "private", "unlisted"]);

export interface Metadata {
  readonly title: string;
  readonly description: string;
  readonly categoryId: string;
  /** Null when nothing was said. */
  readonly privacy: string | null;
  readonly madeForKids: boolean | null;
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

function isTagList(tags: JsonValue): boolean {
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === "string")) {
    return false;
  }
  // A tag with a space counts its added quotes.
  return tags.reduce((sum, tag) => sum + tag.length + (tag.includes(" ") ? 2 : 0), 0) <= TAGS_MAX;
}

const refused = (reason: string, what: string): Response =>
  problem(400, reason, `The request metadata specifies an invalid ${what}.`);

/** What a session's body says, or the refusal; `parts` are the ones the call means to write. */
export function readMetadata(body: JsonObject, parts: readonly string[]): Metadata | Response {
  const unnamed = Object.keys(body).find((part) => !parts.includes(part));
  if (unnamed !== undefined) {
    return problem(400, "unexpectedPart", `{0}: the part parameter does not name ${unnamed}`, "youtube.part");
  }
  const { snippet, status = {} } = body;
  if (!isObject(snippet) || !isObject(status)) {
    return refused("invalidVideoMetadata", "video metadata");
  }
  const { title, description = "", tags = [], categoryId = "22" } = snippet;
  if (typeof title !== "string" || title.trim() === "" || [...title].length > TITLE_MAX || /[<>]/.test(title)) {
    return refused("invalidTitle", "or empty video title");
  }
  if (typeof description !== "string" || bytesOf(description) > DESCRIPTION_MAX_BYTES || /[<>]/.test(description)) {
    return refused("invalidDescription", "video description");
  }
  if (!isTagList(tags)) {
    return refused("invalidTags", "video keywords");
  }
  if (typeof categoryId !== "string" || !/^\d{1,3}$/.test(categoryId)) {
    return refused("invalidCategoryId", "category ID");
  }
  const { privacyStatus = null, selfDeclaredMadeForKids = null } = status;
  const isPrivacy = privacyStatus === null || (typeof privacyStatus === "string" && PRIVACY.has(privacyStatus));
  if (!isPrivacy || (selfDeclaredMadeForKids !== null && typeof selfDeclaredMadeForKids !== "boolean")) {
    return refused("invalidVideoMetadata", "video metadata");
  }
  return { title, description, categoryId, privacy: privacyStatus, madeForKids: selfDeclaredMadeForKids };
}
