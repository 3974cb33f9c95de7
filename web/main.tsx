import { render } from 'preact';
import { App } from './app/app.tsx';
import { watchLocation } from './app/location.ts';
import { followPersonLink, watchPersonLinks } from './app/person-link.ts';
import { openSession } from './app/session.ts';
import { followSignInLink, watchSignInLinks } from './app/sign-in-link.ts';
import { applyTheme } from './app/theme.ts';
import './styles/base.css';
import './styles/controls.css';
import './styles/shell.css';
import './styles/grid.css';
import './styles/search.css';
import './styles/selection.css';
import './styles/keyword.css';
import './styles/trends.css';
import './styles/tracked.css';
import './styles/account.css';
import './styles/team.css';

applyTheme();
// Before anything is drawn: a key in the address must be gone from it by then.
openSession();
followSignInLink();
followPersonLink();
watchSignInLinks();
watchPersonLinks();
watchLocation();
const root = document.getElementById('app');
if (root) render(<App />, root);
