/* Options of the generator; scripts/client/generate.ts sets both paths. */

export default {
  input: process.env.CLIENT_DOCUMENT,
  output: { path: process.env.CLIENT_OUTPUT, module: { extension: ".ts" }, entryFile: false },
  logs: { file: false },
  plugins: [
    { name: "@hey-api/typescript" },
    { name: "@hey-api/client-fetch", baseUrl: false, throwOnError: true },
    {
      name: "@hey-api/sdk",
      // The transport adds the credential: it may have to ask for a new one.
      auth: false,
      responseStyle: "data",
      operations: { strategy: "single", containerName: "Operations", methods: "instance" },
    },
  ],
};
