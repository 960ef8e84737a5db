import type { SignedInUser } from "#auth/index.ts";
import type { Services } from "#context.ts";
import { refuse } from "#core/errors.ts";
import { type DataExport, findExport } from "./store-exports.ts";
import { writeFile } from "./write-file.ts";

/** Finds the export that this browser can download now; null if there is none. */
export async function findOwnExport(
  { db, clock }: Pick<Services, "db" | "clock">,
  { actor }: Pick<SignedInUser, "actor">,
): Promise<DataExport | null> {
  return await findExport(db, { userId: actor.userId, sessionHash: actor.credential.id, now: clock.now() });
}

/**
 * Opens one file of a download, numbered from 1. Other browsers and other persons cannot open it, and nobody can after
 * it has expired.
 */
export async function openExportFile(
  services: Pick<Services, "db" | "clock" | "bucket">,
  session: Pick<SignedInUser, "actor" | "email">,
  { id, number }: { readonly id: string; readonly number: number },
): Promise<{ readonly name: string; readonly body: ReadableStream<Uint8Array> }> {
  const found = await findOwnExport(services, session);
  const file = found?.id === id ? found.files[number - 1] : undefined;
  if (!found || file === undefined) {
    refuse({ code: "not_found", message: "there is no such download, or its time is over: ask for your data again" });
  }
  const day = new Date(found.createdAt).toISOString().slice(0, 10);
  const part = found.files.length === 1 ? "" : `-${number}-of-${found.files.length}`;
  return {
    name: `almanac-data-${day}${part}.zip`,
    body: writeFile(services, { ...found, email: session.email }, file),
  };
}
