import { makeZip } from "client-zip";
import { readArchive } from "#archive/index.ts";
import type { Services } from "#context.ts";
import { readMediaFiles } from "#media/index.ts";
import { readLivePosts } from "#posts/index.ts";
import { EXPORTED_TABLES, type ExportedTable } from "#personal-data/tables.ts";
import { selectWorkspaceIds } from "#personal-data/store-workspaces.ts";
import type { ExportFile, ExportSection } from "./plan-files.ts";
import { writeReadme } from "./readme.ts";
import type { DataExport } from "./store-exports.ts";
import { readTableRows } from "./store-table-rows.ts";
import { postWriter, rowWriter, toJsonArray } from "./to-json.ts";

type ExportServices = Pick<Services, "db" | "bucket" | "clock">;

interface ZipEntry {
  readonly name: string;
  readonly lastModified: Date;
  readonly input: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> | string;
}

/** Converts the rows of each page to the form that the file has. */
async function* mapPages<T, U>(pages: AsyncIterable<readonly T[]>, write: (row: T) => U): AsyncGenerator<U[]> {
  for await (const page of pages) {
    yield page.map(write);
  }
}

async function* readTable(services: ExportServices, exported: ExportedTable, owners: readonly string[]) {
  const write = rowWriter(exported);
  for (const owner of owners) {
    yield* mapPages(readTableRows(services.db, exported, owner), write);
  }
}

class FileWriter {
  readonly #services: ExportServices;
  readonly #of: DataExport & { readonly email: string };
  readonly #lastModified: Date;
  readonly #missing: string[] = [];

  constructor(services: ExportServices, of: DataExport & { readonly email: string }) {
    this.#services = services;
    this.#of = of;
    this.#lastModified = new Date(of.createdAt);
  }

  async *entries(file: ExportFile): AsyncGenerator<ZipEntry> {
    for (const section of file.sections) {
      yield* this.#section(section);
    }
    if (this.#missing.length > 0) {
      yield this.#entry("missing-files.txt", `${this.#missing.join("\n")}\n`);
    }
  }

  #entry(name: string, input: ZipEntry["input"]): ZipEntry {
    return { name, lastModified: this.#lastModified, input };
  }

  async *#section(section: ExportSection): AsyncGenerator<ZipEntry> {
    switch (section.kind) {
      case "tables":
        yield* this.#tables();
        return;
      case "posts":
        yield this.#entry(
          `posts-${this.#numberOf(section)}.json`,
          toJsonArray(mapPages(readLivePosts(this.#services, section.range), postWriter())),
        );
        return;
      case "archive":
        yield this.#entry(
          `archived-posts-${this.#numberOf(section)}.json`,
          toJsonArray(mapPages(readArchive(this.#services, section.range), postWriter())),
        );
        return;
      case "media":
        yield* this.#media(section.range);
    }
  }

  /** The number of a section among all sections of its kind, counted from 1 over all files. */
  #numberOf(section: ExportSection): number {
    const same = this.#of.files.flatMap(({ sections }) => sections).filter(({ kind }) => kind === section.kind);
    return same.indexOf(section) + 1;
  }

  async *#tables(): AsyncGenerator<ZipEntry> {
    const { userId, email, createdAt, files } = this.#of;
    yield this.#entry("README.txt", writeReadme({ email, now: createdAt, files: files.length }));
    const workspaceIds = await selectWorkspaceIds(this.#services.db, userId);
    for (const exported of EXPORTED_TABLES) {
      const owners = exported.column === "workspace_id" ? workspaceIds : [userId];
      yield this.#entry(`${exported.file}.json`, toJsonArray(readTable(this.#services, exported, owners)));
    }
  }

  async *#media(range: Extract<ExportSection, { kind: "media" }>["range"]): AsyncGenerator<ZipEntry> {
    for await (const { id, filename, createdAt, body } of readMediaFiles(this.#services, range)) {
      const name = `media/${id}/${filename}`;
      if (body === null) {
        this.#missing.push(name);
      } else {
        yield { name, lastModified: new Date(createdAt), input: body };
      }
    }
  }
}

/**
 * Streams one file of a download. It is read from the database and from R2 while it is sent, and is never in memory as
 * a whole.
 */
export function writeFile(
  services: ExportServices,
  of: DataExport & { readonly email: string },
  file: ExportFile,
): ReadableStream<Uint8Array> {
  return makeZip(new FileWriter(services, of).entries(file));
}
