// The report page as one file: scripts and styles inside, nothing fetched. tools/build_page.py runs it.
import { defineConfig } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true })],
  build: { target: "es2022", modulePreload: { polyfill: false }, reportCompressedSize: false },
});
