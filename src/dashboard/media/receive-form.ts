import { refuse, RefusalError } from "#core/errors.ts";
import { runUseCase } from "#dashboard/request/form.ts";
import type { PageContext } from "#dashboard/request/env.ts";
import { contextOf } from "#dashboard/request/context-of.ts";
import { MAX_SINGLE_UPLOAD_BYTES, openChunkReader, receiveUnsizedFile, TransferInterrupted } from "#media/index.ts";
import { boundaryOf, type FormPart, MalformedForm, readMultipart } from "./multipart.ts";

/** A problem with a file or an address, which `name` names. An empty name means the whole form. */
export interface MediaProblem {
  readonly name: string;
  readonly message: string;
}

/** A stored file, with the form field that gets its address. An empty field name means the media of the post. */
interface ReceivedFile {
  readonly url: string;
  readonly into: string;
}

export interface ReceivedForm {
  /** The stored files in the order of the form. */
  readonly files: readonly ReceivedFile[];
  readonly fields: URLSearchParams;
  readonly problems: readonly MediaProblem[];
  /** Whether the form was too large, so that reading stopped before its end. */
  readonly isTooLarge: boolean;
}

const MAX_TEXT_BYTES = 1024 * 1024;

/** Matches the names of file inputs: `file`, or `file.` and the name of the field that gets the addresses. */
const FILE_INPUT = /^file(?:\.(.+))?$/;

/** Whether a form field with this name contains files. */
export function isFileInput(name: string): boolean {
  return FILE_INPUT.test(name);
}

const TOO_LARGE =
  "the files have more than 90 MiB together: choose fewer or smaller ones, or upload them with JavaScript switched on, which sends large files in parts";
const TOO_MUCH_TEXT = "the form has more text than a post can have";
const INTERRUPTED = "the upload was interrupted: send the files that are missing again";

/** Limits how much is read to `max` bytes, because a request without a length may send any amount. */
function limitBytes(max: number, message: string, read: () => Promise<Uint8Array | null>) {
  let bytes = 0;
  return async () => {
    const chunk = await read();
    bytes += chunk?.length ?? 0;
    if (bytes > max) {
      refuse({ code: "validation_failed", message, param: "form" });
    }
    return chunk;
  };
}

/** Reads a field as text. Each chunk must be used before the next one is read. */
async function readText(read: () => Promise<Uint8Array | null>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (let chunk = await read(); chunk !== null; chunk = await read()) {
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/**
 * Reads a form while it arrives and stores its files one after the other. A refused file does not stop the ones after
 * it. With `storesFiles: false` only the other fields are read. Null for a body that is no form with files.
 */
export async function receiveForm(
  c: PageContext,
  { storesFiles = true }: { readonly storesFiles?: boolean } = {},
): Promise<ReceivedForm | null> {
  const fields = new URLSearchParams();
  const files: ReceivedFile[] = [];
  const problems: MediaProblem[] = [];
  const tooLarge = (message: string) => ({
    files,
    fields,
    problems: [...problems, { name: "", message }],
    isTooLarge: true,
  });
  const boundary = boundaryOf(c.req.header("content-type") ?? "");
  const { body } = c.req.raw;
  if (boundary === null || body === null) {
    return null;
  }
  if (Number(c.req.header("content-length") ?? 0) > MAX_SINGLE_UPLOAD_BYTES) {
    return tooLarge(TOO_LARGE);
  }
  const reader = openChunkReader(body);
  const form = readMultipart(
    limitBytes(MAX_SINGLE_UPLOAD_BYTES, TOO_LARGE, () => reader.next()),
    boundary,
  );
  let part: FormPart | null = null;
  const readOfPart = () => (part === null ? Promise.resolve(null) : part.read());
  const readField = limitBytes(MAX_TEXT_BYTES, TOO_MUCH_TEXT, readOfPart);
  try {
    for (part = await form.next(); part !== null; part = await form.next()) {
      const { name, filename } = part;
      if (filename === null) {
        fields.append(name, await readText(readField));
      } else if (isFileInput(name) && filename !== "" && storesFiles) {
        const stored = await runUseCase(() => receiveUnsizedFile(contextOf(c), { filename, read: readOfPart }));
        if (stored.ok) {
          files.push({ url: stored.value.url, into: FILE_INPUT.exec(name)?.[1] ?? "" });
        } else if (stored.error.param === "form") {
          return tooLarge(stored.error.message);
        } else {
          problems.push({ name: filename, message: stored.error.message });
        }
      }
    }
  } catch (error) {
    if (error instanceof RefusalError) {
      return tooLarge(error.refusal.message);
    }
    if (!(error instanceof MalformedForm || error instanceof TransferInterrupted)) {
      throw error;
    }
    problems.push({ name: "", message: INTERRUPTED });
  } finally {
    reader.close();
  }
  return { files, fields, problems, isTooLarge: false };
}
