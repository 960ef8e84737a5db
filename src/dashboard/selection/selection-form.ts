import { parseTimeOfDay } from "#core/wall-time.ts";
import type { EditInput } from "#planning/index.ts";
import type { Display } from "#dashboard/wording/display.ts";
import { localPath } from "#dashboard/request/form.ts";
import { Labels } from "#wire/schemas/annotations.ts";

const ACTIONS = ["move", "label", "pause", "resume", "cancel"] as const;
export type Action = (typeof ACTIONS)[number];

export const SELECTION_MAX = 100;
const YEAR_DAYS = 365;
const POST_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The selected posts and the action, as the forms send them. */
export interface SelectionForm {
  readonly ids: readonly string[];
  readonly action: Action;
  readonly fields: ActionFields;
  /** Whether the form sent the fields of the action, even if they are empty. */
  readonly isFilled: boolean;
  readonly next: string;
}

/** The fields of a move or of a change of labels. Empty for any other action. */
interface ActionFields {
  readonly days: string;
  readonly time: string;
  readonly add: string;
  readonly remove: string;
}

/**
 * Reads the form of a selection. The field is not named `action`, because it would hide the form's own address from
 * scripts.
 */
export function readSelectionForm(form: { text(name: string): string; all(name: string): string[] }): SelectionForm {
  const names = ["days", "time", "add", "remove"] as const;
  return {
    ids: [...new Set(form.all("post"))].filter((id) => POST_ID.test(id)),
    action: ACTIONS.find((action) => action === form.text("change")) ?? "move",
    fields: { days: form.text("days"), time: form.text("time"), add: form.text("add"), remove: form.text("remove") },
    isFilled: names.some((name) => form.all(name).length > 0),
    next: localPath(form.text("next") || undefined),
  };
}

/** Builds the edit that the form asks for, or says why that is impossible. */
export function editOfSelection(
  { ids: postIds, action, fields }: SelectionForm,
  { timeZone }: Pick<Display, "timeZone">,
): EditInput | { readonly problem: string } {
  switch (action) {
    case "cancel":
      return { postIds, status: "cancelled" };
    case "pause":
      return { postIds, status: "paused" };
    case "resume":
      return { postIds, status: "scheduled" };
    case "move":
      return readMove(postIds, fields, timeZone);
    case "label":
      return readLabels(postIds, fields);
  }
}

function readMove(postIds: readonly string[], fields: ActionFields, timeZone: string) {
  const days = Number(fields.days.trim() || "0");
  const minute = parseTimeOfDay(fields.time);
  if (!Number.isInteger(days) || Math.abs(days) > YEAR_DAYS) {
    return { problem: `Days are a whole number from −${YEAR_DAYS} to ${YEAR_DAYS}.` };
  }
  if (fields.time !== "" && minute === null) {
    return { problem: "The time of day is written like 09:30." };
  }
  return days === 0 && minute === null
    ? { problem: "Say by how many days, or to which time of day." }
    : { postIds, clock: { days, minute, timeZone } };
}

const labelsOf = (text: string) =>
  text
    .split(/[,\n]/)
    .map((label) => label.trim())
    .filter((label) => label !== "");

function readLabels(postIds: readonly string[], fields: ActionFields) {
  const [add, remove] = [labelsOf(fields.add), labelsOf(fields.remove)];
  if (add.length + remove.length === 0) {
    return { problem: "Name a label to add or to remove." };
  }
  return [add, remove].every((labels) => Labels.safeParse(labels).success)
    ? { postIds, labels: { add, remove } }
    : { problem: "At most ten labels, each of at most 40 characters." };
}
