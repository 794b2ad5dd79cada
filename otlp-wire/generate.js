// Makes the tags and the walker out of the field tables of contracts/, then compiles all of assembly/.
import './generate-tags.js';
import './generate-walker.js';
import './generate-assembly.js';
