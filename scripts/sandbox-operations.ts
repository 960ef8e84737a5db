import { writeFile } from "node:fs/promises";
import { simulators } from "#sandbox/registry.ts";
import { operationsDocument } from "./sandbox-operations-document.ts";

/* Writes docs/sandbox-operations.md: `npm run sandbox:operations`. */

await writeFile("docs/sandbox-operations.md", operationsDocument(simulators));
