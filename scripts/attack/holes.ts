import type { Mutant } from "../crash/mutants.ts";

/** A check that a copy of the source code lacks, and the topic whose attacks must find that. */
export interface Hole extends Pick<Mutant, "name" | "what" | "changes"> {
  readonly topic: string;
}

export const HOLES: readonly Hole[] = [
  {
    name: "no-scope-check",
    what: "a credential may do what its scopes do not allow",
    topic: "scopes",
    changes: [
      {
        file: "src/api/guard.ts",
        from: "if (scope !== null && !actor.scopes.includes(scope)) {",
        to: "if (scope !== null && actor.scopes.length === 0) {",
      },
    ],
  },
];
