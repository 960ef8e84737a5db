import { bulkConfirm } from "./confirm.ts";
import { bulkPreview } from "./preview.ts";

/** In the order of the document. */
export const BULK_OPERATIONS = [bulkPreview, bulkConfirm];
