import { annotate } from "./annotate.ts";
import { attempts } from "./attempts.ts";
import { cancel } from "./cancel.ts";
import { confirm } from "./confirm.ts";
import { editConfirm } from "./edit-confirm.ts";
import { editPreview } from "./edit-preview.ts";
import { get } from "./get.ts";
import { list } from "./list.ts";
import { preview } from "./preview.ts";

/**
 * The OpenAPI document lists the operations in this order. A literal path must come before a path with a parameter that would
 * match it too.
 */
export const POST_OPERATIONS = [list, preview, confirm, editPreview, editConfirm, get, cancel, annotate, attempts];
