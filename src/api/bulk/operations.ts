import { bulkConfirm } from "./confirm.ts";
import { bulkPreview } from "./preview.ts";

/** The OpenAPI document lists the operations in this order. */
export const BULK_OPERATIONS = [bulkPreview, bulkConfirm];
