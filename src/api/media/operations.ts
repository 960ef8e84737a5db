import { importByUrl } from "./import.ts";
import { beginUpload } from "./start-upload.ts";

/** In the order of the document. */
export const MEDIA_OPERATIONS = [importByUrl, beginUpload];
