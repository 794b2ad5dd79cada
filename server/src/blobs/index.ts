export { createFolderBlobs } from './folder.ts';
export { type BlobInfo, type BlobStore, type ByteRange, isBlobKey, type OpenBlob } from './port.ts';
