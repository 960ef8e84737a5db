import { existsSync } from "node:fs";
import { defineConfig, type OxlintOverride } from "oxlint";

/**
 * The import rule: a module may import from the modules named beside it and from its own folder (`./file.ts`), from
 * nothing else. Entry points never import each other. test/repository/import-rules.test.ts plants a violation of every line.
 */
export const MODULES = {
  core: [],
  html: ["core"],
  db: ["core"],
  platforms: ["core"],
  quotas: ["core", "db", "context.ts"],
  sealing: ["core", "db", "context.ts"],
  archive: ["core", "db", "context.ts"],
  workspaces: ["core", "db", "context.ts"],
  auth: ["core", "db", "config.ts", "context.ts", "platforms"],
  accounts: ["core", "db", "config.ts", "context.ts", "platforms"],
  media: ["core", "db", "config.ts", "context.ts", "quotas"],
  drafts: ["core", "db", "config.ts", "context.ts", "media", "quotas"],
  restore: ["core", "db", "context.ts"],
  // The life of a post, in order; `publisher` ends it.
  posts: ["core", "db", "context.ts", "platforms", "archive", "accounts", "media"],
  arming: ["core", "db", "context.ts", "posts"],
  planning: ["core", "db", "context.ts", "platforms", "archive", "accounts", "media", "quotas", "posts"],
  confirming: [
    "core",
    "db",
    "config.ts",
    "context.ts",
    "accounts",
    "drafts",
    "quotas",
    "restore",
    "posts",
    "arming",
    "planning",
  ],
  "post-status": [
    "core",
    "db",
    "context.ts",
    "archive",
    "accounts",
    "quotas",
    "restore",
    "posts",
    "arming",
    "planning",
    "confirming",
  ],
  events: ["core", "db", "config.ts", "context.ts", "accounts", "posts", "confirming"],
  webhooks: ["core", "db", "config.ts", "context.ts", "events", "quotas"],
  notices: ["core", "db", "config.ts", "context.ts", "posts", "accounts"],
  metrics: ["core", "db", "config.ts", "context.ts", "platforms", "arming", "restore", "webhooks"],
  feeds: ["core", "db", "config.ts", "context.ts", "posts"],
  "personal-data": [
    "core",
    "db",
    "context.ts",
    "archive",
    "auth",
    "accounts",
    "media",
    "restore",
    "posts",
    "post-status",
  ],
  wire: [
    "core",
    "config.ts",
    "context.ts",
    "platforms",
    "workspaces",
    "accounts",
    "media",
    "posts",
    "planning",
    "confirming",
    "quotas",
    "events",
  ],
  api: [
    "core",
    "db",
    "config.ts",
    "context.ts",
    "platforms",
    "workspaces",
    "auth",
    "accounts",
    "media",
    "drafts",
    "posts",
    "planning",
    "confirming",
    "post-status",
    "events",
    "webhooks",
    "quotas",
    "feeds",
    "wire",
    "metrics",
  ],
  mcp: [
    "core",
    "db",
    "config.ts",
    "context.ts",
    "platforms",
    "workspaces",
    "auth",
    "accounts",
    "media",
    "drafts",
    "posts",
    "planning",
    "confirming",
    "post-status",
    "webhooks",
    "wire",
  ],
  docs: ["core", "html", "config.ts", "platforms", "wire"],
  dashboard: [
    "core",
    "html",
    "db",
    "config.ts",
    "context.ts",
    "platforms",
    "workspaces",
    "auth",
    "accounts",
    "media",
    "drafts",
    "posts",
    "planning",
    "confirming",
    "post-status",
    "events",
    "webhooks",
    "wire",
    "notices",
    "feeds",
    "metrics",
    "personal-data",
  ],
  operator: ["core", "db", "config.ts", "context.ts", "platforms", "auth", "accounts", "metrics", "wire"],
  publisher: [
    "core",
    "db",
    "config.ts",
    "context.ts",
    "platforms",
    "accounts",
    "media",
    "webhooks",
    "restore",
    "posts",
    "arming",
    "planning",
    "confirming",
    "post-status",
  ],
  sender: ["core", "db", "config.ts", "context.ts", "events", "webhooks", "wire"],
  sync: [
    "core",
    "db",
    "config.ts",
    "context.ts",
    "platforms",
    "auth",
    "accounts",
    "media",
    "drafts",
    "restore",
    "posts",
    "post-status",
    "archive",
    "events",
    "webhooks",
    "notices",
    "metrics",
    "personal-data",
    "sealing",
  ],
  sandbox: [
    "core",
    "config.ts",
    "context.ts",
    "db",
    "auth",
    "accounts",
    "media",
    "posts",
    "arming",
    "planning",
    "confirming",
  ],
} as const satisfies Record<string, readonly string[]>;

/**
 * Folders inside a module, in order: a folder may import from those before it and from its own. What two of them need stands
 * in an earlier one. The files beside the folders join them, and no folder imports those.
 */
export const FOLDERS = {
  posts: ["rows", "summary", "list", "calendar", "export"],
  planning: ["plan", "facts", "candidates", "slots", "assess", "fetch", "present", "pipeline", "composer"],
  confirming: ["token", "requests", "commit", "preview", "approvals", "confirm"],
  publisher: ["restore", "run"],
  "post-status": ["status", "accounts", "subscription", "cleanup", "personal-data"],
  dashboard: [
    ...(["request", "wording", "layout", "likeness", "post-form", "media", "composer"] as const),
    ...(["calendar", "drafts", "post", "oauth", "approvals", "archive", "bulk", "slots"] as const),
    ...(["accounts", "overview", "operate", "notices", "webhooks"] as const),
    ...(["public-pages", "front", "settings", "sign-in", "personal-data", "connect"] as const),
  ],
} as const satisfies Partial<Record<keyof typeof MODULES, readonly string[]>>;

/** Files beside the modules that only wiring may import, unless a module's line names them. */
export const ROOT_FILES = ["config.ts", "context.ts", "index.ts", "index.sandbox.ts", "service.ts"];

const PARENT_IMPORT = { group: ["../*", "../**"], message: "Write #module/file.ts: an import names its module." };

/** What a module may not import. */
export function forbiddenFor(module: keyof typeof MODULES): string[] {
  const allowed: readonly string[] = MODULES[module];
  return [...Object.keys(MODULES), ...ROOT_FILES].filter((other) => other !== module && !allowed.includes(other));
}

function forbiddenImports(module: keyof typeof MODULES) {
  return {
    group: forbiddenFor(module).map((other) => (other.includes(".") ? `#${other}` : `#${other}/**`)),
    message: `${module} may import: ${MODULES[module].join(", ") || "nothing"}. Move the code to a lower layer or hand it in.`,
  };
}

function moduleRule(module: keyof typeof MODULES): OxlintOverride {
  return {
    files: [`src/${module}/**/*.{ts,tsx}`],
    rules: { "no-restricted-imports": ["error", { patterns: [PARENT_IMPORT, forbiddenImports(module)] }] },
  };
}

/** What a folder of a module may not import from its own module. */
export function laterThan(module: keyof typeof FOLDERS, folder: string): string[] {
  const folders: readonly string[] = FOLDERS[module];
  return [...folders.slice(folders.indexOf(folder) + 1).map((later) => `#${module}/${later}/**`), `#${module}/*.ts`];
}

/** The last override of a file replaces the ones before it, so this one repeats what the module may not import. */
function folderRules(module: keyof typeof FOLDERS): OxlintOverride[] {
  return FOLDERS[module].map((folder) => ({
    files: [`src/${module}/${folder}/**/*.{ts,tsx}`],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            PARENT_IMPORT,
            forbiddenImports(module),
            {
              group: laterThan(module, folder),
              message: `${module}/${folder} may import what stands before it in FOLDERS: ${FOLDERS[module].join(", ")}.`,
            },
          ],
        },
      ],
    },
  }));
}

/**
 * Adapters never import each other: what two of them share is a file beside the contract. The last override of a file
 * replaces the ones before it, so this one repeats what the module may not import.
 */
const adapterRule: OxlintOverride = {
  files: ["src/platforms/*/**/*.ts"],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        patterns: [
          PARENT_IMPORT,
          forbiddenImports("platforms"),
          { group: ["#platforms/*/**"], message: "An adapter may import core, the contract and the files beside it." },
        ],
      },
    ],
  },
};

/** A simulator is written from the platform's documents: it shares nothing with another one but the files beside it. */
const simulatorRule: OxlintOverride = {
  files: ["src/sandbox/*/**/*.ts"],
  rules: {
    "no-restricted-imports": [
      "error",
      {
        patterns: [
          PARENT_IMPORT,
          forbiddenImports("sandbox"),
          { group: ["#sandbox/*/**"], message: "A simulator never imports another simulator." },
        ],
      },
    ],
  },
};

export default defineConfig({
  plugins: ["typescript", "unicorn", "oxc", "import", "promise", "vitest"],
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  options: { typeAware: true },
  rules: {
    curly: "error",
    eqeqeq: "error",
    "no-console": "error",
    "no-var": "error",
    "prefer-const": "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/ban-ts-comment": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    // Platforms count code points, and spreading a string is how one does that.
    "typescript/no-misused-spread": "off",
    "typescript/consistent-type-imports": "error",
    "unicorn/no-array-for-each": "error",
    "import/no-cycle": "error",
    // Awaiting in order is often the point here: a journal entry before the call it announces.
    "no-await-in-loop": "off",
    // `__proto__`-safe spreads and readable defaults matter more than one allocation.
    "oxc/no-map-spread": "off",
    "oxc/no-async-endpoint-handlers": "off",
    "import/no-unassigned-import": "off",
    "unicorn/no-array-sort": "off",
    "typescript/no-unsafe-type-assertion": "off",
    "typescript/no-unnecessary-type-parameters": "off",
    "typescript/consistent-return": "off",
    "vitest/require-mock-type-parameters": "off",
    // The second argument names what was compared.
    "vitest/valid-expect": ["error", { maxArgs: 2 }],
    "unicorn/consistent-function-scoping": "off",
    "no-shadow": "off",
    "no-underscore-dangle": "off",
  },
  overrides: [
    ...(Object.keys(MODULES) as (keyof typeof MODULES)[]).map(moduleRule),
    ...(Object.keys(FOLDERS) as (keyof typeof FOLDERS)[]).flatMap(folderRules),
    adapterRule,
    // The parts of the adapter contract have an order: also their types form no circle.
    { files: ["src/platforms/**"], rules: { "import/no-cycle": ["error", { ignoreTypes: false }] } },
    simulatorRule,
    { files: ["src/core/log.ts", "scripts/**"], rules: { "no-console": "off" } },
    { files: ["test/env.d.ts"], rules: { "typescript/consistent-type-imports": "off" } },
    {
      files: ["test/**"],
      rules: { "typescript/no-non-null-assertion": "off", "vitest/expect-expect": "off" },
    },
  ],
  ignorePatterns: [
    "migrations/**",
    "openapi.json",
    "clients/*/dist/**",
    "clients/typescript/generator/**",
    // Written by a generator.
    "clients/typescript/src/generated/**",
    // Types of the judges' libraries are there only after `npm run judges:install`.
    ...(existsSync("scripts/judges/node_modules") ? [] : ["scripts/judges/**"]),
  ],
});
