import { isJsonObject, type JsonObject, type JsonValue } from "#core/json.ts";
import { errorResponse } from "./error-responses.ts";

/* Checks of a video's metadata: platforms/youtube.md 2.1 (upload session) and part 3 (limits). */

const MAX_TITLE_LENGTH = 100;
const MAX_DESCRIPTION_BYTES = 5000;
const MAX_TAGS_LENGTH = 500;
const PRIVACY_STATUSES = new Set(["public", "private", "unlisted"]);

export interface Metadata {
  readonly title: string;
  readonly description: string;
  readonly categoryId: string;
  /** Null if not given. */
  readonly privacy: string | null;
  readonly madeForKids: boolean | null;
  /** The other members, as sent. */
  readonly further: JsonObject;
}

const countBytes = (text: string): number => new TextEncoder().encode(text).length;

function isValidTagList(tags: JsonValue): boolean {
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === "string")) {
    return false;
  }
  // YouTube quotes a tag with a space and counts the quotes.
  return tags.reduce((sum, tag) => sum + tag.length + (tag.includes(" ") ? 2 : 0), 0) <= MAX_TAGS_LENGTH;
}

const invalidMetadata = (reason: string, field: string): Response =>
  errorResponse(400, reason, `The request metadata specifies an invalid ${field}.`);

/** The metadata in the body of an upload session, or the error response; `parts` are the resource parts that the call names. */
export function readMetadata(body: JsonObject, parts: readonly string[]): Metadata | Response {
  const unexpectedPart = Object.keys(body).find((part) => !parts.includes(part));
  if (unexpectedPart !== undefined) {
    return errorResponse(
      400,
      "unexpectedPart",
      `{0}: the part parameter does not name ${unexpectedPart}`,
      "youtube.part",
    );
  }
  const { snippet, status = {} } = body;
  if (!isJsonObject(snippet) || !isJsonObject(status)) {
    return invalidMetadata("invalidVideoMetadata", "video metadata");
  }
  const { title, description = "", tags = [], categoryId = "22" } = snippet;
  if (typeof title !== "string" || title.trim() === "" || [...title].length > MAX_TITLE_LENGTH || /[<>]/.test(title)) {
    return invalidMetadata("invalidTitle", "or empty video title");
  }
  if (typeof description !== "string" || countBytes(description) > MAX_DESCRIPTION_BYTES || /[<>]/.test(description)) {
    return invalidMetadata("invalidDescription", "video description");
  }
  if (!isValidTagList(tags)) {
    return invalidMetadata("invalidTags", "video keywords");
  }
  if (typeof categoryId !== "string" || !/^\d{1,3}$/.test(categoryId)) {
    return invalidMetadata("invalidCategoryId", "category ID");
  }
  const { privacyStatus = null, selfDeclaredMadeForKids = null } = status;
  const isValidPrivacy =
    privacyStatus === null || (typeof privacyStatus === "string" && PRIVACY_STATUSES.has(privacyStatus));
  if (!isValidPrivacy || (selfDeclaredMadeForKids !== null && typeof selfDeclaredMadeForKids !== "boolean")) {
    return invalidMetadata("invalidVideoMetadata", "video metadata");
  }
  const { license, embeddable, containsSyntheticMedia } = status;
  const isFlag = (value: JsonValue | undefined) => value === undefined || typeof value === "boolean";
  const isLicense = license === undefined || license === "youtube" || license === "creativeCommon";
  if (!isLicense || !isFlag(embeddable) || !isFlag(containsSyntheticMedia)) {
    return invalidMetadata("invalidVideoMetadata", "video metadata");
  }
  const { defaultLanguage } = snippet;
  if (
    defaultLanguage !== undefined &&
    (typeof defaultLanguage !== "string" || !/^[a-z]{2,3}(?:-\w{2,8})*$/.test(defaultLanguage))
  ) {
    return invalidMetadata("invalidDefaultLanguage", "default language");
  }
  const given = { tags: snippet["tags"], defaultLanguage, license, embeddable, containsSyntheticMedia };
  const further = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as JsonObject;
  return { title, description, categoryId, further, privacy: privacyStatus, madeForKids: selfDeclaredMadeForKids };
}
