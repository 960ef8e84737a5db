import { importByUrl } from "./import.ts";
import { beginUpload } from "./start-upload.ts";

/** The OpenAPI document lists the operations in this order. */
export const MEDIA_OPERATIONS = [importByUrl, beginUpload];
