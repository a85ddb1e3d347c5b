// Starts the page: theme, session, API client and routes.
import './browserLanguage.ts';
import '@mantine/core/styles.css';
import './theme.css';
import { MantineProvider } from '@mantine/core';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { router } from './routes.tsx';
import { SessionProvider } from './session/SessionProvider.tsx';
import { theme } from './theme.ts';

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    {/* Mantine would write its variables and classes into <style> elements, which the Content-Security-Policy refuses.
        styles.css has the same values, and theme.css the ones of this page. */}
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
      withStaticClasses={false}
    >
      <SessionProvider>
        <RouterProvider router={router} />
      </SessionProvider>
    </MantineProvider>
  </StrictMode>,
);
