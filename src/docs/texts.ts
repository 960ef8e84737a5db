/** vitest.config.ts defines it; a build replaces this whole file (scripts/build/documents.ts). */
declare const DOCUMENTS: Readonly<Record<string, string>>;

/** The documents of the repository that have a page, by their paths. */
export const texts = DOCUMENTS;
