/** Importing a `.bin` file gives its bytes. */
declare module "*.bin" {
  const bytes: ArrayBuffer;
  export default bytes;
}
