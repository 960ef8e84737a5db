import { isJsonObject, type JsonObject } from "#core/json.ts";
import type { MediaList, ResolvedDocument } from "#media/index.ts";

/*
 * The document of a target: part of its options, which a plan, an edit and a copy hold as a whole. What a request names there is looked up
 * or imported like media, and takes its place with the id and the hash of the stored file.
 */

/** Of the stored file, as answers have it; what a request says of it is ignored. */
const READ_ONLY: ReadonlySet<string> = new Set(["id", "size_bytes", "sha256", "pages"]);

/** What is known of the stored file of options without reading it. */
export interface StoredDocument {
  readonly id: string;
  readonly url: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** The documents of a request by the places that name them. */
export type DocumentByPlace = ReadonlyMap<string, ResolvedDocument>;

function documentPlace(at: string): string {
  return `${at}.document`;
}

/** The place of a request that names a document, if one does; `at` is the member that holds the options. */
export function documentLists(at: string, { document }: JsonObject = {}): readonly MediaList[] {
  return isJsonObject(document) && typeof document["url"] === "string" && document["url"] !== ""
    ? [{ at: documentPlace(at), input: { documentUrl: document["url"] } }]
    : [];
}

/** The document of options that were stored; null without one. */
export function storedDocument({ document }: JsonObject): StoredDocument | null {
  if (!isJsonObject(document)) {
    return null;
  }
  const { id, url, size_bytes: sizeBytes, sha256 } = document;
  return typeof id === "string" &&
    typeof url === "string" &&
    typeof sizeBytes === "number" &&
    typeof sha256 === "string"
    ? { id, url, sizeBytes, sha256 }
    : null;
}

/** The options with what is known of the document that they name; `at` is the member of the request, null for stored options. */
export function withDocument(options: JsonObject, at: string | null, documents: DocumentByPlace): JsonObject {
  const { document } = options;
  if (at === null || !isJsonObject(document)) {
    return options;
  }
  const file = documents.get(documentPlace(at));
  const { pages } = file?.facts ?? {};
  const named = Object.fromEntries(Object.entries(document).filter(([name]) => !READ_ONLY.has(name)));
  return {
    ...options,
    document: {
      ...named,
      ...(file && { url: file.url, id: file.id, size_bytes: file.sizeBytes, sha256: file.sha256 }),
      ...(typeof pages === "number" && { pages }),
    },
  };
}
