package app

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// longestSecret bounds what is read of a file that was named by mistake, such as a device.
const longestSecret = 64 << 10

// takeFile sets value to the content of *file, if a file is named. It moves the file to those that were read, so that
// settings may be validated twice. No error contains the content.
func (c *Config) takeFile(setting string, value, file *string) error {
	if *file == "" {
		return nil
	}
	if *value != "" {
		return fmt.Errorf("%s and %s_FILE are both set: remove one of them", setting, setting)
	}
	content, err := readSecret(*file)
	if err != nil {
		return fmt.Errorf("%s_FILE: %w: write the value of %s into the file and let this user read it", setting, err, setting)
	}
	c.filesRead = append(c.filesRead, *file)
	*value, *file = content, ""
	return nil
}

// readSecret returns the content of a file without the newline at its end.
func readSecret(path string) (content string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	raw, err := io.ReadAll(io.LimitReader(file, longestSecret+1))
	if err != nil {
		return "", err
	}
	if len(raw) > longestSecret {
		return "", fmt.Errorf("%s has more than %d bytes", path, longestSecret)
	}
	text := strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r")
	if strings.TrimSpace(text) == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return text, nil
}

func (c *Config) takeKeyFiles() error {
	old := strings.Join(c.SecretKeyOld, "\n")
	err := errors.Join(c.takeFile("TERRIER_SECRET_KEY", &c.SecretKey, &c.SecretKeyFile),
		c.takeFile("TERRIER_SECRET_KEY_OLD", &old, &c.SecretKeyOldFile))
	if err == nil && old != "" {
		c.SecretKeyOld = strings.Split(strings.ReplaceAll(old, "\r\n", "\n"), "\n")
	}
	return err
}
