/** The sheets of every page, in the order in which later ones win; a page adds its own. */
import '@mantine/core/styles/default-css-variables.css';
import '@mantine/core/styles/UnstyledButton.css';
import '@mantine/core/styles/CloseButton.css';
import '@mantine/core/styles/Overlay.css';
import '@mantine/core/styles/Paper.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ModalBase.css';
import '@mantine/core/styles/Modal.css';
import '@svc/look/tokens.css';
import '../ui/styles/font.css';
import '../ui/styles/base.css';
import '../ui/controls/controls.css';
import '../ui/table/tables.css';
import '../ui/styles/kit.css';
import '../ui/styles/panels.css';
