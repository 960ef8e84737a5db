import { isJsonObject, type JsonObject } from "#core/json.ts";
import type { MediaList, ResolvedDocument } from "#media/index.ts";

/* The document of a target is part of its options, so that a PostPlan, an edit and a copy contain it. The service
   finds or imports a document that a request names, like media, and stores its id and hash in the options. */

/** Members that answers add from the stored file. They are ignored in requests. */
const READ_ONLY: ReadonlySet<string> = new Set(["id", "size_bytes", "sha256", "pages"]);

/** The data of a stored document that the options contain, so that nobody has to read the file. */
export interface StoredDocument {
  readonly id: string;
  readonly url: string;
  readonly sizeBytes: number;
  readonly sha256: string;
}

/** The documents of a request, by the member that names each. */
export type DocumentByPlace = ReadonlyMap<string, ResolvedDocument>;

function documentPlace(at: string): string {
  return `${at}.document`;
}

/** The request member that names a document, if there is one. `at` is the path of the options. */
export function documentLists(at: string, { document }: JsonObject = {}): readonly MediaList[] {
  return isJsonObject(document) && typeof document["url"] === "string" && document["url"] !== ""
    ? [{ at: documentPlace(at), input: { documentUrl: document["url"] } }]
    : [];
}

/** The document in stored options. Null if there is none. */
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

/** The options with the data of their stored document. `at` is their path in the request; null for stored options. */
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
