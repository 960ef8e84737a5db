/** An object in the bucket. */
export interface StoredObject {
  readonly key: string;
  readonly sizeBytes: number;
  readonly etag: string;
}

/** One installation of the service as backup and restore reach it: on this machine or at Cloudflare. */
export interface Installation {
  /** The installation's name, for messages and the manifest. */
  readonly name: string;
  readonly database: D1Database;
  /** The release that is running. Null if no service answers. */
  runningVersion(): Promise<string | null>;
  /** Writes the whole database, as it is at one moment, as a SQLite file. */
  exportDatabase(file: string): Promise<void>;
  /** Brings the database to the schema of this folder. */
  migrate(): Promise<void>;
  /**
   * A bookmark to which D1's Time Travel can put the database back: of now, or of an earlier time. Null without Time
   * Travel.
   */
  bookmark(at?: Date): Promise<string | null>;
  /** Puts the database back to a bookmark. */
  travelTo(bookmark: string): Promise<void>;
  objects(): AsyncIterable<StoredObject>;
  /** Reads an object's bytes. Null if the object is gone. */
  readObject(key: string): Promise<AsyncIterable<Uint8Array> | null>;
  /** Stores a file of this machine as an object. Throws a `FileFailure` if that is impossible. */
  writeObject(key: string, file: string, contentType: string): Promise<void>;
  close(): Promise<void>;
}

/** Thrown if one file cannot be stored although others can. */
export class FileFailure extends Error {
  override readonly name = "FileFailure";
}

/** Thrown for an expected failure. It says what is wrong, and what the operator does next. */
export class OperatorError extends Error {
  override readonly name = "OperatorError";
  readonly next: string;
  constructor(message: string, next: string) {
    super(message);
    this.next = next;
  }
}
