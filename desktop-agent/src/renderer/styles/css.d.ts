/** esbuild gathers imported style sheets in index.css. */
declare module '*.css';
