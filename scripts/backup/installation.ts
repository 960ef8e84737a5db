/** An object in the bucket. */
export interface StoredObject {
  readonly key: string;
  readonly sizeBytes: number;
  readonly etag: string;
}

/** One installation of the service, as backup and restore reach it: on this machine, or at Cloudflare. */
export interface Installation {
  /** For messages and for the manifest. */
  readonly name: string;
  readonly database: D1Database;
  /** The version that runs; null where nothing answers. */
  runningVersion(): Promise<string | null>;
  /** Writes the whole database, as it is at one moment, as a SQLite file. */
  exportDatabase(file: string): Promise<void>;
  /** Brings the database to the schema of this folder. */
  migrate(): Promise<void>;
  /** The point to which Time Travel can put the database back: the present one, or that of an earlier time. Null where there is no Time Travel. */
  bookmark(at?: Date): Promise<string | null>;
  /** Puts the database back. */
  travelTo(bookmark: string): Promise<void>;
  objects(): AsyncIterable<StoredObject>;
  /** The bytes of an object; null when it is gone. */
  readObject(key: string): Promise<AsyncIterable<Uint8Array> | null>;
  /** Stores a file of this machine; a `FileFailure` where it cannot be stored. */
  writeObject(key: string, file: string, contentType: string): Promise<void>;
  close(): Promise<void>;
}

/** One file cannot be stored; others can. */
export class FileFailure extends Error {
  override readonly name = "FileFailure";
}

/** What is wrong, and what the operator does next. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
  readonly next: string;
  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}
