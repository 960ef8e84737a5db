import { bulkConfirm } from "./confirm.ts";
import { bulkPreview } from "./preview.ts";

/** This order is the order in the OpenAPI document. */
export const BULK_OPERATIONS = [bulkPreview, bulkConfirm];
