import { AlmanacConnectionError, type AlmanacError, isAlmanacError } from "./errors.ts";
import type { MediaItemInput, StartUploadBody, UploadStarted } from "./generated/types.gen.ts";
import { type Call, sendCall, toError, type TransportOptions } from "./transport.ts";

/** Bytes with a known size that come one after another. A lost part is sent from memory. */
export interface StreamSource {
  readonly stream: ReadableStream<Uint8Array>;
  /** The exact size of the file. */
  readonly size: number;
}

/** What can be uploaded. `fileFromPath` of `@almanac/client/node` makes one of a path. */
export type UploadSource = Blob | ArrayBuffer | Uint8Array<ArrayBuffer> | StreamSource;

/** How far an upload is. */
export interface UploadProgress {
  /** What the service has received. */
  readonly sentBytes: number;
  /** The size of the file. */
  readonly totalBytes: number;
}

/** What it takes to go on with an upload; plain JSON. Whoever has it can write this one file, so keep it secret. */
export type UploadSession = UploadStarted;

/** Where an uploaded PDF file is, for the option `document`. */
export interface DocumentAddress {
  /** The address of the stored file. */
  readonly url: string;
}

/** How a file is uploaded. */
export interface UploadOptions {
  /** The name of the file; that of a `File` when absent. */
  readonly filename?: string;
  /** The media type of the file; that of a `Blob` when absent. */
  readonly contentType?: string;
  /** Called when the upload begins and after each part. */
  readonly onProgress?: (progress: UploadProgress) => void;
  /** Called once the upload is begun, with what {@link UploadOptions.resume} takes. */
  readonly onSession?: (session: UploadSession) => void;
  /** Goes on with an upload that broke off: only the missing parts of the same file are sent. */
  readonly resume?: UploadSession;
  /** How many parts are sent at the same time; 3 when absent, always 1 for a stream. */
  readonly concurrency?: number;
  /** Stops sending. */
  readonly signal?: AbortSignal;
}

/** What the upload needs of the client. */
export interface UploadContext {
  readonly transport: TransportOptions;
  start(body: StartUploadBody, signal: AbortSignal | undefined): Promise<UploadStarted>;
}

interface Part {
  readonly part_number: number;
  readonly url: string;
  readonly size_bytes: number;
}

/** What the service says about an upload in parts. */
interface ServerProgress {
  readonly upload: {
    readonly state: "open" | "complete";
    readonly missing_parts: readonly number[];
  };
}

const DEFAULT_CONCURRENCY = 3;
/** A part has up to 64 MiB. */
const PART_TIMEOUT_MS = 600_000;

const isStream = (source: UploadSource): source is StreamSource =>
  "stream" in source && typeof source.stream !== "function";

function sizeOf(source: UploadSource): number {
  return source instanceof ArrayBuffer || source instanceof Uint8Array ? source.byteLength : source.size;
}

function describe(source: UploadSource, { filename, contentType }: UploadOptions): StartUploadBody {
  const name = filename ?? ("name" in source && typeof source.name === "string" ? source.name : undefined);
  const type = contentType ?? ("type" in source && typeof source.type === "string" ? source.type : undefined);
  if (!name) {
    throw new TypeError("an upload needs `filename`, because its source has no name");
  }
  if (!type) {
    throw new TypeError("an upload needs `contentType`, because its source has no type");
  }
  return { filename: name, content_type: type, size_bytes: sizeOf(source) };
}

/** Reads a stream in pieces of given sizes. */
class StreamReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor({ stream }: StreamSource) {
    this.#reader = stream.getReader();
  }

  async read(size: number): Promise<Uint8Array<ArrayBuffer>> {
    const piece = new Uint8Array(size);
    let filled = 0;
    while (filled < size) {
      if (this.#rest.byteLength === 0) {
        const { done, value } = await this.#reader.read();
        if (done) {
          throw new TypeError("the stream ended before its announced size");
        }
        this.#rest = value;
      }
      const taken = this.#rest.subarray(0, size - filled);
      piece.set(taken, filled);
      filled += taken.byteLength;
      this.#rest = this.#rest.subarray(taken.byteLength);
    }
    return piece;
  }
}

/** Hands out the bytes of one part after another. */
function piecesOf(source: UploadSource): (offset: number, size: number) => Blob | Promise<Uint8Array<ArrayBuffer>> {
  if (isStream(source)) {
    const reader = new StreamReader(source);
    return async (_, size) => await reader.read(size);
  }
  const blob = source instanceof Blob ? source : new Blob([source]);
  return (offset, size) => blob.slice(offset, offset + size);
}

/** Uploads an image or a video and returns the media item for a preview. */
export async function uploadFile(
  context: UploadContext,
  source: UploadSource,
  options: UploadOptions,
): Promise<MediaItemInput> {
  return await send(context, source, options, ({ media_item: item }) => {
    if (item === null) {
      throw new TypeError("a PDF file is no media item: upload it with `uploadDocument`");
    }
    return { ...item };
  });
}

/** Uploads a PDF file and returns its address for the option `document`. */
export async function uploadDocument(
  context: UploadContext,
  source: UploadSource,
  options: UploadOptions,
): Promise<DocumentAddress> {
  return await send(context, source, options, ({ document }) => {
    if (document === undefined) {
      throw new TypeError("only a PDF file is a document: upload others with `upload`");
    }
    return { ...document };
  });
}

/** `fileOf` may refuse what was begun, before any byte is sent. */
async function send<File>(
  context: UploadContext,
  source: UploadSource,
  options: UploadOptions,
  fileOf: (session: UploadSession) => File,
): Promise<File> {
  const description = describe(source, options);
  const session = options.resume ?? (await context.start(description, options.signal));
  const file = fileOf(session);
  options.onSession?.(session);
  const { parts } = session.upload;
  if (parts === null) {
    await sendWhole(context, session, source, options);
  } else {
    await sendParts(context, session, source, { ...options, parts });
  }
  return file;
}

function uploadCall(
  { transport }: UploadContext,
  call: Pick<Call, "method" | "url"> & Partial<Call>,
  { signal }: UploadOptions,
): Promise<Response> {
  return sendCall(
    transport,
    {
      path: "/media/uploads",
      headers: new Headers(),
      body: undefined,
      timeoutMs: transport.timeoutMs ?? PART_TIMEOUT_MS,
      signal,
      // The signature in the URL is the credential.
      isAuthorized: false,
      ...call,
    },
    { addsKey: false, isRepeatable: true, waitsForKey: false },
  );
}

/** The refusal of an answer, or undefined for a success. */
async function refusalOf(response: Response): Promise<AlmanacError | undefined> {
  if (response.ok) {
    return undefined;
  }
  const text = await response.text();
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // Not the service's: `toError` says so.
  }
  const error = toError(body, response);
  if (isAlmanacError(error)) {
    return error;
  }
  throw error instanceof Error ? error : new AlmanacConnectionError("the upload was not answered", { attempts: 1 });
}

async function sendWhole(
  context: UploadContext,
  { upload, media_item: item, document }: UploadSession,
  source: UploadSource,
  options: UploadOptions,
): Promise<void> {
  const totalBytes = sizeOf(source);
  options.onProgress?.({ sentBytes: 0, totalBytes });
  const body = await piecesOf(source)(0, totalBytes);
  const call = { method: upload.method, url: upload.url, headers: new Headers(upload.headers), body };
  const refusal = await refusalOf(await uploadCall(context, call, options));
  if (
    refusal &&
    !(refusal.code === "invalid_state" && (await isStored(context, item?.url ?? document?.url ?? "", options)))
  ) {
    throw refusal;
  }
  options.onProgress?.({ sentBytes: totalBytes, totalBytes });
}

/** Whether the file is there: then it was only the answer that was lost. */
async function isStored(context: UploadContext, url: string, options: UploadOptions): Promise<boolean> {
  return (await uploadCall(context, { method: "HEAD", url }, options)).ok;
}

async function readProgress(context: UploadContext, url: string, options: UploadOptions): Promise<ServerProgress> {
  const response = await uploadCall(context, { method: "GET", url }, options);
  const refusal = await refusalOf(response);
  if (refusal) {
    throw refusal;
  }
  return (await response.json()) as ServerProgress;
}

async function sendParts(
  context: UploadContext,
  { upload }: UploadSession,
  source: UploadSource,
  options: UploadOptions & { readonly parts: readonly Part[] },
): Promise<void> {
  const { parts, onProgress } = options;
  const completeUrl = upload.complete_url ?? upload.url;
  const progress = options.resume ? (await readProgress(context, completeUrl, options)).upload : undefined;
  const totalBytes = sizeOf(source);
  if (progress?.state === "complete") {
    onProgress?.({ sentBytes: totalBytes, totalBytes });
    return;
  }
  const isMissing = (part: Part): boolean => progress?.missing_parts.includes(part.part_number) ?? true;
  let sentBytes = parts.reduce((sum, part) => sum + (isMissing(part) ? 0 : part.size_bytes), 0);
  onProgress?.({ sentBytes, totalBytes });
  const pieces = piecesOf(source);
  const offsets = new Map<Part, number>();
  let offset = 0;
  for (const part of parts) {
    offsets.set(part, offset);
    offset += part.size_bytes;
  }
  const waiting = parts.values();
  const sendWaiting = async (): Promise<void> => {
    for (const part of waiting) {
      const body = await pieces(offsets.get(part) ?? 0, part.size_bytes);
      if (!isMissing(part)) {
        continue;
      }
      await sendPart(context, part, { body, headers: upload.headers, completeUrl }, options);
      sentBytes += part.size_bytes;
      onProgress?.({ sentBytes, totalBytes });
    }
  };
  const workers = isStream(source) ? 1 : (options.concurrency ?? DEFAULT_CONCURRENCY);
  await Promise.all(Array.from({ length: Math.max(1, workers) }, sendWaiting));
  await complete(context, completeUrl, options);
}

async function sendPart(
  context: UploadContext,
  part: Part,
  sent: {
    readonly body: Blob | Uint8Array<ArrayBuffer>;
    readonly headers: Readonly<Record<string, string>>;
    readonly completeUrl: string;
  },
  options: UploadOptions,
): Promise<void> {
  const call = { method: "PUT", url: part.url, headers: new Headers(sent.headers), body: sent.body };
  const refusal = await refusalOf(await uploadCall(context, call, options));
  if (!refusal) {
    return;
  }
  if (refusal.code === "invalid_state") {
    const { upload } = await readProgress(context, sent.completeUrl, options);
    if (!upload.missing_parts.includes(part.part_number)) {
      return;
    }
  }
  throw refusal;
}

async function complete(context: UploadContext, url: string, options: UploadOptions): Promise<void> {
  const refusal = await refusalOf(await uploadCall(context, { method: "POST", url }, options));
  if (!refusal) {
    return;
  }
  if (refusal.code === "invalid_state") {
    const { upload } = await readProgress(context, url, options);
    if (upload.state === "complete") {
      return;
    }
  }
  throw refusal;
}
