/** Put here by vitest.config.ts; in what is built, this whole file is (scripts/build/documents.ts). */
declare const DOCUMENTS: Readonly<Record<string, string>>;

/** The documents of the repository that have a page, by their paths. */
export const texts = DOCUMENTS;
