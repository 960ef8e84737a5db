import { byteLength } from "#core/bytes.ts";
import { type Actor, type Author, authorOf } from "#core/actor.ts";
import type { JsonObject } from "#core/json.ts";
import type { CreatedVia } from "#core/status.ts";
import type { StoredFieldChange, StoredPostChange } from "#db/schema.ts";
import type { EditChange } from "./types.ts";

/* Records what was changed in a post, when and by whom. The list is in the post's row, and the statement that
   changes the row appends to it. So recording needs no statement and no row of its own. */

export const MAX_CHANGES = 50;
const MAX_TEXT = 80;
/** How many characters to keep before the first difference of two long texts. */
const WORDS_BEFORE = 20;
/** The largest entry (bytes). With `MAX_CHANGES` entries the list adds at most 100 KB to the row. */
const MAX_ENTRY_BYTES = 2000;

type ChangeEntry = Omit<StoredPostChange, "version">;

/** The JSON of a change by the caller, for `appendChange`. */
export function changeByActor(
  actor: Pick<Actor, "credential" | "via">,
  entry: Pick<ChangeEntry, "at" | "what" | "reason">,
): string {
  return JSON.stringify({ ...entry, via: actor.via, by: authorOf(actor) } satisfies ChangeEntry);
}

/** The JSON of a change that the service makes on its own. */
export function changeByService(entry: Pick<ChangeEntry, "at" | "what" | "reason" | "accountId">): string {
  return JSON.stringify({ ...entry, via: null, by: null } satisfies ChangeEntry);
}

/**
 * SQL for the new `changes` of post `p`: appends an entry and drops the oldest one if the list is full. `entry` is an
 * SQL expression for its JSON.
 */
export function appendChange(entry: string, version = "p.version + 1"): string {
  return `json_insert(iif(json_array_length(p.changes) >= ${MAX_CHANGES}, json_remove(p.changes, '$[0]'), coalesce(p.changes, '[]')),
    '$[#]', json_set(${entry}, '$.version', ${version}))`;
}

/** The name of a change that concerns only the status. */
export type ChangedStatus = "cancelled" | "paused" | "resumed";

/** The JSON of an edit. Fields that do not fit are only counted. Null if the edit changes nothing. */
export function changeOfEdit(
  {
    at,
    via,
    by,
    what,
  }: {
    readonly at: number;
    readonly via: CreatedVia;
    readonly by: Author | null;
    readonly what: ChangedStatus | null;
  },
  fields: readonly StoredFieldChange[],
): string | null {
  if (fields.length === 0) {
    return null;
  }
  if (what !== null) {
    return JSON.stringify({ at, via, by, what, ...(what === "paused" && { reason: "user" }) } satisfies ChangeEntry);
  }
  for (let count = fields.length; ; count -= 1) {
    const entry: ChangeEntry = {
      at,
      via,
      by,
      what: "edited",
      fields: fields.slice(0, count),
      ...(count < fields.length && { moreFields: fields.length - count }),
    };
    const json = JSON.stringify(entry);
    if (count === 0 || byteLength(json) <= MAX_ENTRY_BYTES) {
      return json;
    }
  }
}

/** Shortens the changed values of a preview, so that they are still recognizable. */
export function toFieldChanges(changes: readonly EditChange[]): StoredFieldChange[] {
  return changes.map(({ field, accountId, from, to }) => ({
    field,
    ...(accountId !== undefined && { accountId }),
    ...shortened(field, from, to),
  }));
}

function shortened(field: string, from: unknown, to: unknown): Pick<StoredFieldChange, "from" | "to"> {
  if (field === "media_items") {
    // Null if the account has no own media.
    const countOf = (items: unknown) => (Array.isArray(items) ? items.length : null);
    return { from: countOf(from), to: countOf(to) };
  }
  if (field === "platform_options") {
    const [before, after] = [from as JsonObject, to as JsonObject];
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const differing = keys.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
    const only = (options: JsonObject) =>
      shortText(differing.flatMap((key) => (key in options ? [`${key}: ${asText(options[key])}`] : [])).join(", "));
    return { from: only(before), to: only(after) };
  }
  const [before, after] = [from === null ? null : asText(from), to === null ? null : asText(to)];
  const start = before === null || after === null ? 0 : startOfDifference([...before], [...after]);
  return {
    from: before === null ? null : shortText(before, start),
    to: after === null ? null : shortText(after, start),
  };
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Where to cut two long texts so that their first difference is visible, with some words before it. */
function startOfDifference(before: readonly string[], after: readonly string[]): number {
  const index = before.findIndex((character, at) => character !== after[at]);
  const difference = index === -1 ? before.length : index;
  const isLong = before.length > MAX_TEXT || after.length > MAX_TEXT;
  return isLong && difference > MAX_TEXT / 2 ? difference - WORDS_BEFORE : 0;
}

function shortText(text: string, start = 0): string {
  const characters = [...text];
  const shown = start > 0 ? ["…", ...characters.slice(start)] : characters;
  return shown.length > MAX_TEXT ? `${shown.slice(0, MAX_TEXT - 1).join("")}…` : shown.join("");
}
