import { importByUrl } from "./import.ts";
import { beginUpload } from "./start-upload.ts";

/** This order is the order in the OpenAPI document. */
export const MEDIA_OPERATIONS = [importByUrl, beginUpload];
