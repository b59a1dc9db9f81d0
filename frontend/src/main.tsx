import './strict.ts';
import './ui/style.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { ParleyContext, startParley } from './parley.ts';

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <ParleyContext value={startParley()}>
      <App />
    </ParleyContext>
  </StrictMode>,
);
